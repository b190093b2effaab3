import type { AdminCaller, AuthKind, CallerOf, KeyCaller, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { bearer, type CarrierSettings, findKey } from "./key-carriers.ts";

/** Who a credential belongs to. Both throw `authentication` for one that is not good, `database` if it cannot be known. */
export interface Authenticator {
  /** Answers at once for a key that is known already: no promise on the hot path. */
  key(secret: string): KeyCaller | Promise<KeyCaller>;
  session(token: string): Promise<SessionCaller>;
}

export type Authenticate = (kind: AuthKind, headers: Headers) => CallerOf[AuthKind] | Promise<CallerOf[AuthKind]>;

export function createAuthenticate(authenticator: Authenticator, carriers: CarrierSettings): Authenticate {
  const byKey = (headers: Headers) => {
    const secret = findKey(headers, carriers);
    if (secret === null) throw new GatewayError("authentication", missingKey(headers, carriers));
    return authenticator.key(secret);
  };
  const bySession = (headers: Headers) => {
    const header = headers.get("authorization");
    if (header === null) throw new GatewayError("authentication", "Log in first: no bearer token was sent.");
    return authenticator.session(bearer(header));
  };
  return (kind, headers) => {
    if (kind === "none") return null;
    if (kind === "key") return byKey(headers);
    if (kind === "session") return bySession(headers);
    return admin(headers, byKey, bySession);
  };
}

const KEY_HEADERS = ["x-gw-api-key", "x-api-key", "api-key"];

/** Operators come with the master key or with the session of an admin. */
async function admin(
  headers: Headers,
  byKey: (headers: Headers) => KeyCaller | Promise<KeyCaller>,
  bySession: (headers: Headers) => Promise<SessionCaller>,
): Promise<AdminCaller> {
  const authorization = headers.get("authorization");
  const isSession = authorization !== null && !/^Bearer +sk-/i.test(authorization);
  if (isSession && KEY_HEADERS.some((name) => headers.has(name))) {
    throw new GatewayError("authentication", "A session and a key were sent; send one of them.");
  }
  const caller = await (isSession ? bySession(headers) : byKey(headers));
  const allowed = caller.kind === "session" ? caller.role === "admin" : caller.master;
  if (!allowed) throw new GatewayError("permission", "This needs the master key or an administrator's session.");
  return caller;
}

function missingKey(headers: Headers, carriers: CarrierSettings): string {
  const [first = "authorization"] = carriers.headers;
  const elsewhere = headers.has("authorization") && !carriers.headers.includes("authorization");
  return elsewhere
    ? `This address takes the key in the \`${first}\` header, not in \`Authorization\`.`
    : `No API key was sent. Send it in the \`${first}\` header.`;
}
