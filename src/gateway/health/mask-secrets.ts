import { type Deployment, MASKED } from "../../contract/deployment.ts";
import { publicAddress } from "../../contract/public-address.ts";
import { isRecord } from "../../lib/json.ts";

const SECRET_SEGMENTS: ReadonlySet<string> = new Set(
  "password passwd secret secrets key keys token auth authorization credential credentials access private certificate cert signature sig cookie bearer".split(
    " ",
  ),
);
const SECRET_TEXT = /apikey|password|passwd|secret|credential|bearer|authorization/;
/** Names that only look like a secret's. */
const HARMLESS: ReadonlySet<string> = new Set([
  "access_groups",
  "prompt_cache_key",
  "configurable_clientside_auth_params",
]);
/** Anything may stand in a header that an operator adds. */
const HEADER_MAPS: ReadonlySet<string> = new Set(["headers", "extra_headers"]);
/** A text shorter than this is in every other text; it is no secret either. */
const SECRET_LENGTH_MIN = 6;

/** Whether a field of this name may hold a secret: one of its words is such a word, and it is not a price. */
export function isSecretName(name: string): boolean {
  if (HARMLESS.has(name)) return false;
  const segments = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (segments.includes("cost")) return false;
  return segments.some((segment) => SECRET_SEGMENTS.has(segment)) || SECRET_TEXT.test(name.toLowerCase());
}

/** Every text of a deployment that must not be seen. */
export function secretsOf({ apiKey, params }: Pick<Deployment, "apiKey" | "params">): string[] {
  const found = apiKey === null ? [] : [apiKey];
  collect(params, false, found);
  return found.filter((text) => text.length >= SECRET_LENGTH_MIN);
}

function collect(value: unknown, secret: boolean, found: string[]): void {
  if (typeof value === "string" && secret) found.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, secret, found);
  else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      collect(inner, secret || isSecretName(name) || HEADER_MAPS.has(name), found);
    }
  }
}

/** A copy with a mask in place of what is, or may be, a secret. */
export function maskSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return maskText(value, secrets);
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, secrets));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (isSecretName(name) && inner !== null && typeof inner !== "boolean") return [name, MASKED];
      return [name, HEADER_MAPS.has(name) && isRecord(inner) ? maskAll(inner) : maskSecrets(inner, secrets)];
    }),
  );
}

const maskAll = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASKED]));

export function maskText(text: string, secrets: readonly string[]): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return secrets.reduce(replaceIn, publicAddress(text));
  return secrets.reduce(replaceIn, text);
}

const replaceIn = (text: string, secret: string): string => text.replaceAll(secret, MASKED);
