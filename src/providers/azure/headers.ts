import { SetupError } from "../../contract/setup-error.ts";
import type { Signing, Target } from "../dialect.ts";
import { findText, findVariable } from "../openai/credentials.ts";

type Access = { readonly headers: Record<string, string> } | { readonly sign: Signing };

const AUTHORITY = "https://login.microsoftonline.com";
const SCOPE = "https://cognitiveservices.azure.com/.default";

/** The deployment's own key, token or app, then the environment's; a key before a token, and that before an app. */
function findAccess(target: Target, title: string, keyVariables: readonly string[]): Access {
  const own = target.apiKey?.trim();
  if (own) return { headers: { "api-key": own } };
  const token = findText(target, "azure_ad_token");
  if (token !== undefined) return { headers: { authorization: `Bearer ${token}` } };
  const ownApp = findApp(target, (name) => findText(target, name), title);
  if (ownApp) return { sign: ownApp };
  const key = findVariable(target, keyVariables);
  if (key !== undefined) return { headers: { "api-key": key } };
  const usualToken = findVariable(target, ["AZURE_AD_TOKEN"]);
  if (usualToken !== undefined) return { headers: { authorization: `Bearer ${usualToken}` } };
  const usualApp = findApp(target, (name) => findVariable(target, [`AZURE_${name.toUpperCase()}`]), title);
  if (usualApp) return { sign: usualApp };
  throw refused(
    title,
    `needs a key: set api_key, or tenant_id, client_id and client_secret, in the deployment, or ${keyVariables[0]} in the environment.`,
  );
}

/** All three from one place: a secret belongs to its app. */
function findApp(target: Target, read: (name: string) => string | undefined, title: string): Signing | null {
  const [tenantId, clientId, clientSecret] = [read("tenant_id"), read("client_id"), read("client_secret")];
  if (tenantId === undefined && clientId === undefined && clientSecret === undefined) return null;
  if (tenantId === undefined || clientId === undefined || clientSecret === undefined) {
    throw refused(title, "needs all of tenant_id, client_id and client_secret to call as an app.");
  }
  const scope = findText(target, "azure_scope") ?? findVariable(target, ["AZURE_SCOPE"]) ?? SCOPE;
  const authority = findVariable(target, ["AZURE_AUTHORITY_HOST"]) ?? AUTHORITY;
  return { kind: "entra", app: { authority, tenantId, clientId, clientSecret, scope } };
}

/** The key or token that a request carries; none where it is signed as an app. */
export function azureHeaders(target: Target, title: string, keyVariables: readonly string[]): Record<string, string> {
  const access = findAccess(target, title, keyVariables);
  return "headers" in access ? access.headers : {};
}

export function azureSigning(target: Target, title: string, keyVariables: readonly string[]): Signing | null {
  const access = findAccess(target, title, keyVariables);
  return "sign" in access ? access.sign : null;
}

const refused = (title: string, message: string): SetupError =>
  new SetupError("upstream_authentication", `${title} ${message}`);
