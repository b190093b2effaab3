import type { AdminCaller, AuthKind, CallerOf, KeyCaller, Peer, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { TOKEN_PREFIX, type TokenScope } from "../contract/management-tokens.ts";
import { bearer, type CredentialHeaders, conflictingKeys, findKey } from "./credential-headers.ts";
import { pathOf, queryOf } from "./path.ts";
import { formatOfPath } from "./route.ts";
import { isRead, type SessionCookie } from "./session-cookie.ts";
import { EPHEMERAL_PREFIX, findSocketKey } from "./socket-key.ts";

/** Who a credential belongs to. All throw `authentication` for one that is not good, `database` if it cannot be known. */
export interface Authenticator {
  /** Answers at once for a key that is known already: no promise on the hot path. Asks for the address only if it must. */
  key(secret: string, peer: Peer): KeyCaller | Promise<KeyCaller>;
  /** The key that a secret for one realtime session stands for. */
  ephemeral(secret: string, peer: Peer): Promise<KeyCaller>;
  /** `seenAsId`: the session in which a browser's administrator sees the platform as somebody else. */
  session(token: string, seenAsId?: string | null): Promise<SessionCaller>;
  /** Whom a management token speaks for. */
  managementToken(token: string, peer: Peer): Promise<SessionCaller>;
  /** One of the person's own keys, named by its id; throws `not_found` for any other. */
  keyOf(person: SessionCaller, keyId: string, peer: Peer): Promise<KeyCaller>;
}

/** What an operation asks of its callers. */
interface Wanted {
  readonly auth: AuthKind;
  readonly scope?: TokenScope;
  readonly whileSeeingAs?: boolean;
  /** A WebSocket, whose key may stand elsewhere. */
  readonly socket?: boolean;
}

export type Authenticate = (
  wanted: Wanted,
  request: Request,
  peer: Peer,
) => CallerOf[AuthKind] | Promise<CallerOf[AuthKind]>;

export function createAuthenticate(
  authenticator: Authenticator,
  settings: CredentialHeaders,
  cookie: SessionCookie,
): Authenticate {
  // A copy: it takes the runtime nine times as long to go through a list that is frozen.
  const carriers = { ...settings, headers: [...settings.headers] };
  const byKey = (request: Request, peer: Peer, isSocket = false) => {
    const secret = findKey(request.headers, carriers, queryKey(request, carriers));
    if (secret !== null) return authenticator.key(secret, peer);
    // A WebSocket is opened by a GET, which a cookie is asked for nothing more at, and then calls models.
    const keyId = isSocket ? null : request.headers.get(KEY_ID_HEADER);
    if (keyId !== null && isCookieAlone(request)) return byOwnKey(request, keyId, peer);
    throw new GatewayError("authentication", missingKey(request, carriers));
  };
  const bySocket = (request: Request, peer: Peer) => {
    const key = findSocketKey(request.headers, carriers);
    if (key?.startsWith(EPHEMERAL_PREFIX)) return authenticator.ephemeral(key, peer);
    return key?.startsWith("sk-") ? authenticator.key(key, peer) : byKey(request, peer, true);
  };
  // A page of ours calls models under one of the person's keys, whose value nobody has to have at hand.
  const byOwnKey = async (request: Request, keyId: string, peer: Peer) =>
    authenticator.keyOf(await bySession({ auth: "key" }, request, peer), keyId, peer);
  // What a browser sends by itself counts only where nothing was sent on purpose.
  const bySession = async ({ scope, whileSeeingAs = false }: Wanted, request: Request, peer: Peer) => {
    const header = request.headers.get("authorization");
    const sent = header === null ? null : bearer(header);
    if (sent?.startsWith(TOKEN_PREFIX)) return requireScope(await authenticator.managementToken(sent, peer), scope);
    if (sent !== null) return authenticator.session(sent);
    const token = cookie.find(request);
    if (token === null) throw new GatewayError("authentication", "Log in first: no bearer token was sent.");
    const caller = await authenticator.session(token, cookie.seenAs.find(request));
    cookie.requireOwnPage(request, caller.sessionId);
    if (caller.actingAdmin && !whileSeeingAs) requireRead(request);
    return caller;
  };
  const isCookieAlone = (request: Request): boolean =>
    ![...KEY_HEADERS, ...carriers.headers].some((name) => request.headers.has(name)) && cookie.find(request) !== null;
  return (wanted, request, peer) => {
    if (wanted.auth === "none") return null;
    if (wanted.auth === "key") return wanted.socket ? bySocket(request, peer) : byKey(request, peer);
    if (wanted.auth === "session") return bySession(wanted, request, peer);
    const caller = either(
      request,
      isCookieAlone(request),
      () => byKey(request, peer),
      () => bySession(wanted, request, peer),
    );
    const admitted = caller.then((found) => requireWriter(found, request));
    return wanted.auth === "admin" ? admitted.then(requireAdmin) : admitted;
  };
}

/** Google's clients may have the key in the address: it counts there alone, and where their header does. */
function queryKey({ url }: Request, { headers }: CredentialHeaders): string | null {
  if (!KEYED.test(url) || !headers.includes(GOOGLE_KEY) || formatOfPath(pathOf(url)) !== "google") return null;
  const [key = null, ...others] = new Set(queryOf(url)?.getAll("key"));
  if (others.length > 0) throw conflictingKeys();
  return key;
}
const KEYED = /[?&]key=/;
const GOOGLE_KEY = "x-goog-api-key";

/** With a session cookie: which of the person's keys makes the call. */
const KEY_ID_HEADER = "x-gw-key-id";
const KEY_HEADERS = ["x-gw-api-key", "x-api-key", "api-key", GOOGLE_KEY];

/** A key or a session, never both. */
async function either(
  request: Request,
  isCookieAlone: boolean,
  byKey: () => KeyCaller | Promise<KeyCaller>,
  bySession: () => Promise<SessionCaller>,
): Promise<AdminCaller> {
  const { headers } = request;
  const authorization = headers.get("authorization");
  const isSession = authorization === null ? isCookieAlone : !/^Bearer +sk-/i.test(authorization);
  if (isSession && KEY_HEADERS.some((name) => headers.has(name))) {
    throw new GatewayError("authentication", "A session and a key were sent; send one of them.");
  }
  return isSession ? bySession() : byKey();
}

/** A route that names no scope is for people who have logged in: passwords, sessions, tokens, and whatever is new. */
function requireScope(caller: SessionCaller, scope: TokenScope | undefined): SessionCaller {
  if (scope === undefined) {
    throw new GatewayError("permission", "A management token cannot do this; log in with POST /api/auth/token.");
  }
  if (caller.token?.scopes.includes(scope)) return caller;
  throw new GatewayError("permission", `This needs a management token with the scope \`${scope}\`.`);
}

/** Whoever sees the platform as somebody else looks, and changes nothing: no secret, no sign-in, no money, no call of a model. */
function requireRead({ method }: Request): void {
  if (isRead(method)) return;
  throw new GatewayError("permission", "You see this as somebody else and cannot change anything; stop that first.");
}

/** An administrator who is a viewer changes nothing where administrators are operators. */
function requireWriter(caller: AdminCaller, { method }: Request): AdminCaller {
  if (caller.kind === "key" || !caller.readsOnly || isRead(method)) return caller;
  throw new GatewayError("permission", "You administer this server as a viewer: you can read and change nothing.");
}

/** Operators come with the master key or with the session of an admin. */
/** A management token comes this far only if the route names a scope of the token. */
function requireAdmin(caller: AdminCaller): AdminCaller {
  if (caller.kind === "session" && caller.token?.ofAdministrator) return caller;
  const allowed = caller.kind === "session" ? caller.role === "admin" : caller.master;
  if (!allowed) throw new GatewayError("permission", "This needs the master key or an administrator's session.");
  return caller;
}

function missingKey({ headers, url }: Request, carriers: CredentialHeaders): string {
  const [first = "authorization"] = carriers.headers;
  if (carriers.headers.includes(GOOGLE_KEY) && formatOfPath(pathOf(url)) === "google") {
    return `No API key was sent. Send it in the \`${GOOGLE_KEY}\` header.`;
  }
  if (carriers.headers.includes("authorization")) {
    const other = carriers.headers.find((name) => name !== "authorization");
    const also = other === undefined ? "" : ` or in the \`${other}\` header`;
    return `No API key was sent. Send it as \`Authorization: Bearer sk-...\`${also}.`;
  }
  return headers.has("authorization")
    ? `This address takes the key in the \`${first}\` header, not in \`Authorization\`.`
    : `No API key was sent. Send it in the \`${first}\` header.`;
}
