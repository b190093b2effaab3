import { GatewayError } from "../contract/errors.ts";
import { TOKEN_PREFIX } from "../contract/management-tokens.ts";

export interface CredentialHeaders {
  /** Headers that may carry a key, lower case. The hosted profile has one. */
  readonly headers: readonly string[];
}

/** The one that examples show: what most clients send, where it is taken. */
export const shownCarrier = ({ headers }: CredentialHeaders): string =>
  headers.includes("authorization") ? "authorization" : (headers[0] ?? "authorization");

const BEARER = /^Bearer +(\S+)$/i;

/**
 * The key of a request. One value may travel in several headers; two different ones are refused, because the side
 * that checks and the side that charges could otherwise mean different callers.
 */
export function findKey(headers: Headers, settings: CredentialHeaders, inAddress: string | null = null): string | null {
  let found: string | null = null;
  if (inAddress !== null) {
    if (!inAddress.startsWith("sk-")) throw malformedInAddress();
    found = inAddress;
  }
  for (const name of settings.headers) {
    const header = headers.get(name);
    if (header === null) continue;
    const key = name === "authorization" ? bearer(header) : header.replace(BEARER, "$1").trim();
    if (!key.startsWith("sk-")) throw key.startsWith(TOKEN_PREFIX) ? tokenSent() : malformed(name);
    if (found !== null && found !== key) {
      throw conflictingKeys();
    }
    found = key;
  }
  return found;
}

export const conflictingKeys = (): GatewayError =>
  new GatewayError("authentication", "Two different keys were sent; send one.");

/** The token of `Authorization: Bearer <token>`; other schemes are not ours. */
export function bearer(header: string): string {
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw malformed("authorization");
  return token;
}

const tokenSent = (): GatewayError =>
  new GatewayError(
    "authentication",
    "A management token was sent, which works under `/api` only. Send an API key, which begins with `sk-`.",
  );

const malformedInAddress = (): GatewayError =>
  new GatewayError("authentication", "The `key` of the address must be a key that begins with `sk-`.");

const malformed = (header: string): GatewayError =>
  new GatewayError(
    "authentication",
    header === "authorization"
      ? "The `Authorization` header must be `Bearer` and a key that begins with `sk-`."
      : `The \`${header}\` header must hold a key that begins with \`sk-\`.`,
  );
