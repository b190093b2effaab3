import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import { CREDENTIAL_FIELDS } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import type { Fields } from "../call/gateway.ts";

/** Fields that reach the same places from inside another one. */
const NESTED = ["extra_body", "metadata", "gw_metadata", "litellm_metadata", "litellm_embedding_config"];

/** What a field of the request replaces in the target, where the deployment allows it. */
const REPLACES: Readonly<Record<string, "apiBase" | "apiKey" | "apiVersion">> = {
  api_base: "apiBase",
  base_url: "apiBase",
  api_key: "apiKey",
  api_version: "apiVersion",
};

export interface CallerCredentials {
  readonly override: { readonly apiBase?: string; readonly apiKey?: string; readonly apiVersion?: string };
  readonly guarded: boolean;
}

/** The override of a request that names nothing. */
export const NO_OVERRIDE: CallerCredentials["override"] = {};
const NONE: CallerCredentials = { override: NO_OVERRIDE, guarded: false };

/**
 * A request may not say where it goes or with whose key, unless the deployment lists the field in
 * `configurable_clientside_auth_params`. The operator's key never travels to an address that a caller named.
 */
export function callerCredentials(request: Fields, deployment: Deployment): CallerCredentials {
  const named = credentialFields(request);
  if (named === null) return NONE;
  const override: Record<string, string> = {};
  for (const [field, value] of named) {
    const part = Object.hasOwn(REPLACES, field) ? REPLACES[field] : undefined;
    if (part === undefined || typeof value !== "string" || !isAllowed(deployment, field, value)) throw refused(field);
    // A blank key is no key: the operator's would be taken in its place.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new GatewayError("invalid_request", `\`${field}\` must be plain text without spaces.`, { param: field });
    }
    override[part] = value;
  }
  if (override.apiBase !== undefined && override.apiKey === undefined) {
    throw new GatewayError("permission", "A request that names its own `api_base` must bring its own `api_key`.", {
      param: "api_base",
    });
  }
  return { override, guarded: override.apiBase !== undefined };
}

/** Null where there is none, as almost always. */
function credentialFields(request: Fields): [string, unknown][] | null {
  let found: [string, unknown][] | null = null;
  for (const name in request) {
    if (!CREDENTIAL_FIELDS.has(name) || request[name] === undefined || request[name] === null) continue;
    found ??= [];
    found.push([name, request[name]]);
  }
  for (const name of NESTED) {
    const inner = request[name];
    if (!isRecord(inner)) continue;
    const hidden = Object.keys(inner).find((key) => CREDENTIAL_FIELDS.has(key) && inner[key] !== null);
    if (hidden !== undefined) throw refused(`${name}.${hidden}`);
  }
  return found;
}

/** An entry is a field's name, or a name with an expression that the value must fit. */
function isAllowed(deployment: Deployment, field: string, value: string): boolean {
  const allowed = deployment.params.configurable_clientside_auth_params;
  if (!Array.isArray(allowed)) return false;
  return allowed.some((entry) => {
    if (entry === field) return true;
    const pattern = isRecord(entry) ? entry[field] : undefined;
    return typeof pattern === "string" && fits(pattern, value);
  });
}

/** An expression of the operator's that is none allows nothing. */
function fits(pattern: string, value: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(value);
  } catch {
    return false;
  }
}

const refused = (field: string): GatewayError =>
  new GatewayError("permission", `\`${field}\` is not allowed in a request.`, { param: field });
