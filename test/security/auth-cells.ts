import { newKey } from "../../src/accounts/key-format.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import type { AuthKind, CallerOf } from "../../src/contract/caller.ts";
import { TOKEN_SCOPES, type TokenScope } from "../../src/contract/management-tokens.ts";
import type { Route } from "../../src/http/route.ts";
import { hmacHex } from "../../src/lib/hmac.ts";
import { MASTER_KEY } from "../app.ts";
import { samplePath } from "../http/faults.ts";
import { isNightly } from "../property-runs.ts";
import { type AccessRow, type CallerKind, GOOGLE_KEY, KEY, type Outcome } from "./access-rows.ts";
import { EXPECTATIONS } from "./expectations.ts";
import { nameOf, ROOT_SECRET, type Seen, type World } from "./world.ts";

export type Profile = "open" | "hosted";
export const PROFILES: Readonly<Record<Profile, string>> = { open: "", hosted: "general_settings:\n  hosted: true\n" };

interface Credential {
  readonly kind: "key" | "session" | "token";
  readonly value: string;
  /** Who the handler must be told that it is. */
  readonly identity: string;
}
export type Credentials = Readonly<Record<CallerKind, Credential | null>>;

/** One credential of each kind. Made once: many different unknown keys would be throttled. */
export async function makeCredentials(world: World): Promise<Credentials> {
  const { accounts } = world.app.storage;
  const tenant = await world.newTenant();
  const { teamId, organizationId, people } = tenant;
  const key = async (changes: Parameters<World["newKey"]>[2] = {}, team = teamId): Promise<Credential> => {
    const made = await world.newKey(team, null, changes);
    return { kind: "key", value: made.value, identity: made.id };
  };
  const bogus = (value: string): Credential => ({ kind: "key", value, identity: "nobody" });
  const session = ({ sessionId, token }: { sessionId: string; token: string }): Credential => ({
    kind: "session",
    value: token,
    identity: sessionId,
  });
  const [gone, disabled] = [await world.newPerson(), await world.newPerson()];
  await accounts.sessions.revoke(gone.id, {}, Date.now());
  await accounts.users.update(disabled.id, { status: "disabled" });
  const token = async (scopes: readonly TokenScope[], expiresAt: number | null = null): Promise<Credential> => {
    const { id, value } = await world.newManagementToken(tenant, people.admin.id, { scopes, expiresAt });
    return { kind: "token", value, identity: id };
  };
  const unknown = world.secret("unknown key", newKey());
  return {
    none: null,
    "malformed key": bogus(world.secret("malformed key", `${newKey().slice(0, -6)}000000`)),
    "unknown key": bogus(unknown),
    "disabled key": await key({ status: "disabled" }),
    "expired key": await key({ expiresAt: Date.now() - 1 }),
    "key of a blocked team": await key({}, await world.newTeam(organizationId, "blocked")),
    "member's key": await key(),
    "master key": { kind: "key", value: MASTER_KEY, identity: "master" },
    "member session": session(people.member),
    "organization admin session": session(people.admin),
    "platform admin session": session(await world.newPerson("admin")),
    "revoked session": session(gone),
    "session of a disabled user": session(disabled),
    "management token": await token(TOKEN_SCOPES),
    "management token without scopes": await token([]),
    "expired management token": await token(TOKEN_SCOPES, Date.now() - 1),
  };
}

export interface Carrier {
  readonly name: string;
  readonly headers?: (value: string) => Record<string, string>;
  readonly query?: (value: string) => string;
  /**
   * What a route of this kind makes of a credential carried so: it reads it, it sees nothing, or it refuses what it sees.
   * The last two are the same answer, 401, to everybody.
   */
  reads(auth: Exclude<AuthKind, "none">, credential: Credential["kind"], profile: Profile, row: AccessRow): boolean;
  /** A browser sends it by itself, so that a good one alone is 403 where something is changed. */
  readonly readsOnly?: boolean;
}

const DECOY = `sk-decoy-${"y".repeat(40)}`;
const never = (): boolean => false;
/** Of headers that carry keys alone, and only where the installation takes keys from them. */
const keyHeader =
  (hostedToo: boolean): Carrier["reads"] =>
  (auth, kind, profile) =>
    kind === "key" && auth !== "session" && (hostedToo || profile === "open");
const bearerHeader: Carrier["reads"] = (auth, kind, profile) =>
  kind !== "key" ? auth !== "key" : auth !== "session" && profile === "open";

/** What a person has done in a browser is theirs to see and an operator's to use; it is never a key. */
const cookie: Carrier["reads"] = (auth, kind) => kind === "session" && auth !== "key";
const cookieOf = (value: string): string => `__Host-turnpike=${value}`;

/** Of something that is no token, nothing. */
function sessionIdOf(value: string): string {
  const [, payload] = value.split(".");
  return payload === undefined ? "" : (JSON.parse(Buffer.from(payload, "base64url").toString()).sid as string);
}

const AUTH_KINDS = ["key", "session", "admin", "any"] as const;
const CREDENTIAL_KINDS = ["key", "session", "token"] as const;

export const CARRIERS: readonly Carrier[] = [
  { name: "x-gw-api-key", headers: (value) => ({ "x-gw-api-key": value }), reads: keyHeader(true) },
  {
    name: "x-gw-api-key with a scheme",
    headers: (value) => ({ "x-gw-api-key": `Bearer ${value}` }),
    reads: keyHeader(true),
  },
  { name: "Authorization: Bearer", headers: (value) => ({ authorization: `Bearer ${value}` }), reads: bearerHeader },
  { name: "Authorization: bEARER", headers: (value) => ({ authorization: `bEARER ${value}` }), reads: bearerHeader },
  { name: "x-api-key", headers: (value) => ({ "x-api-key": value }), reads: keyHeader(false) },
  { name: "api-key", headers: (value) => ({ "api-key": value }), reads: keyHeader(false) },
  { name: "x-goog-api-key", headers: (value) => ({ "x-goog-api-key": value }), reads: keyHeader(false) },
  {
    name: "?key=",
    query: (value) => `key=${value}`,
    reads: (_, kind, profile, { keyInAddress }) => keyInAddress === true && kind === "key" && profile === "open",
  },
  {
    name: "?key= beside another key",
    query: (value) => `key=${value}`,
    headers: () => ({ "x-gw-api-key": DECOY }),
    reads: never,
  },
  { name: "?api_key=", query: (value) => `api_key=${value}`, reads: never },
  {
    name: "?access_token=",
    query: (value) => `access_token=${value}&token=${value}`,
    reads: never,
  },
  {
    name: "a cookie",
    headers: (value) => ({ cookie: `session=${value}; token=${value}; authorization=Bearer%20${value}` }),
    reads: never,
  },
  { name: "the session cookie", headers: (value) => ({ cookie: cookieOf(value) }), reads: cookie, readsOnly: true },
  {
    name: "the session cookie from a page of ours",
    headers: (value) => ({
      cookie: cookieOf(value),
      origin: "http://turnpike.test",
      "x-csrf-token": hmacHex(deriveSecrets(ROOT_SECRET).csrfKey, sessionIdOf(value)),
    }),
    reads: cookie,
  },
  {
    name: "the session cookie from another page",
    headers: (value) => ({ cookie: cookieOf(value), origin: "https://evil.example.com", "x-csrf-token": "x" }),
    reads: cookie,
    readsOnly: true,
  },
  {
    name: "the session cookie beside another bearer",
    headers: (value) => ({ cookie: cookieOf(value), authorization: `Bearer ${DECOY}` }),
    reads: never,
  },
  {
    name: "the session cookie beside a key",
    headers: (value) => ({ cookie: cookieOf(value), "x-gw-api-key": DECOY }),
    reads: (auth, kind) => kind === "session" && auth === "session",
    readsOnly: true,
  },
  ...["Basic", "Token", "ApiKey", "Digest", "Bearer:", "Bearer,"].map((scheme) => ({
    name: `Authorization: ${scheme}`,
    headers: (value: string) => ({ authorization: `${scheme} ${value}` }),
    reads: never,
  })),
  { name: "Authorization without a scheme", headers: (value) => ({ authorization: value }), reads: never },
  {
    name: "Authorization with two values",
    headers: (value) => ({ authorization: `Bearer ${value} ${value}` }),
    reads: never,
  },
  {
    name: "Authorization: Basic of the value",
    headers: (value) => ({ authorization: `Basic ${btoa(`:${value}`)}` }),
    reads: never,
  },
  {
    name: "another header",
    headers: (value) => ({ "x-forwarded-authorization": `Bearer ${value}`, token: value }),
    reads: never,
  },
  {
    name: "the same in two headers",
    headers: (value) => ({ "x-gw-api-key": value, authorization: `Bearer ${value}` }),
    // A session beside a key header is two credentials to an operator's route; a key beside a bearer is one.
    reads: (auth, kind) => (kind === "key") === (auth !== "session"),
  },
  {
    name: "in x-gw-api-key, with another bearer",
    headers: (value) => ({ "x-gw-api-key": value, authorization: `Bearer ${DECOY}` }),
    // The hosted profile reads one header and nothing beside it.
    reads: (auth, kind, profile) => kind === "key" && auth !== "session" && profile === "hosted",
  },
  {
    name: "as bearer, with another x-gw-api-key",
    headers: (value) => ({ "x-gw-api-key": DECOY, authorization: `Bearer ${value}` }),
    reads: (auth, kind) => kind !== "key" && auth === "session",
  },
];

/** Carriers that the hosted profile reads differently. */
export const PROFILE_CARRIERS = CARRIERS.filter(({ reads }) =>
  AUTH_KINDS.some((auth) =>
    CREDENTIAL_KINDS.some((kind) =>
      [KEY, GOOGLE_KEY].some((row) => reads(auth, kind, "open", row) !== reads(auth, kind, "hosted", row)),
    ),
  ),
);

function expected(
  row: AccessRow,
  caller: CallerKind,
  carrier: Carrier,
  profile: Profile,
  credential: Credential | null,
  method: string,
): Outcome {
  // The one route with a check of its own reads a session as session routes do.
  const auth = row.auth === "none" && row.none === 401 ? "session" : row.auth;
  if (auth === "none") return "through";
  const outcome = credential && carrier.reads(auth, credential.kind, profile, row) ? row[caller] : 401;
  const isChange = method !== "GET" && method !== "HEAD";
  return outcome === "through" && carrier.readsOnly && isChange ? 403 : outcome;
}

/** Takes the place of every handler: who was let through to which route is the answer, and nothing is done. */
export function stubHandlers(routes: readonly Route[]): () => void {
  const undo = routes.map((route) => {
    const { handle } = route;
    if (route.paths[0] === "/api/auth/token/refresh") return () => undefined;
    route.handle = ({ caller }) =>
      Response.json(
        { route: route.paths[0], identity: identityOf(caller) },
        { status: 200, headers: { "x-stub": "1" } },
      );
    return () => {
      route.handle = handle;
    };
  });
  return () => {
    for (const one of undo) one();
  };
}

const identityOf = (caller: CallerOf[AuthKind]): string | null =>
  caller === null ? null : caller.kind === "key" ? caller.keyId : caller.sessionId;

export interface AuthMatrix {
  readonly world: World;
  readonly credentials: Credentials;
  readonly profile: Profile;
  readonly callers: readonly CallerKind[];
  readonly carriers: readonly Carrier[];
}

/** The most powerful credential of each kind: if a header does not carry these, it carries no other. */
export const STRONGEST: readonly CallerKind[] = ["master key", "platform admin session", "management token"];

/**
 * Sends every caller by every carrier to one route, and returns the responses that differ from the expected one. HEAD
 * and the other paths of a route share its declaration: except nightly, only the strongest callers are sent to them.
 */
export async function authFaults(
  { world, credentials, profile, callers, carriers }: AuthMatrix,
  route: Route,
): Promise<{ readonly cells: number; readonly faults: string[] }> {
  const row = EXPECTATIONS[nameOf(route)];
  if (!row) throw new Error(`${nameOf(route)} has no row in test/security/expectations.ts`);
  const faults: string[] = [];
  let cells = 0;
  const methods = route.method === "GET" ? ["GET", "HEAD"] : [route.method];
  for (const [caller, carrier] of cellsOf(callers, carriers)) {
    const credential = credentials[caller];
    const query = credential && carrier.query ? `?${carrier.query(credential.value)}` : "";
    const headers = credential && carrier.headers ? carrier.headers(credential.value) : {};
    for (const method of methods) {
      const outcome = expected(row, caller, carrier, profile, credential, method);
      for (const pattern of route.paths) {
        const isRepeated = method !== route.method || pattern !== route.paths[0];
        if (isRepeated && !isNightly && caller !== "none" && !STRONGEST.includes(caller)) continue;
        const response = await world.call(samplePath(pattern) + query, { method, headers });
        const fault = faultOf(response, { outcome, method, row, route, identity: credential?.identity });
        if (fault !== null) faults.push(`${method} ${pattern} as ${caller} by ${carrier.name}: ${fault}`);
        cells++;
      }
    }
  }
  return { cells, faults };
}

function cellsOf(callers: readonly CallerKind[], carriers: readonly Carrier[]): (readonly [CallerKind, Carrier])[] {
  return callers.flatMap((caller) => {
    const tried = caller === "none" ? carriers.slice(0, 1) : carriers;
    return tried
      .filter(({ reads }) => reads !== never || STRONGEST.includes(caller))
      .map((carrier) => [caller, carrier] as const);
  });
}

interface Expectation {
  readonly outcome: Outcome;
  readonly method: string;
  readonly row: AccessRow;
  readonly route: Route;
  readonly identity: string | undefined;
}

function faultOf(response: Seen, { outcome, method, row, route, identity }: Expectation): string | null {
  const { status } = response;
  const actual = status === 401 || status === 403 ? status : "through";
  if (actual !== outcome || status === 429 || status >= 500) return `${status}, expected ${outcome}`;
  if (actual !== "through" || method === "HEAD" || !response.headers.includes("x-stub")) return null;
  const stub = JSON.parse(response.text) as { route: string; identity: string | null };
  const expectedIdentity = row.auth === "none" ? null : identity;
  return stub.identity === expectedIdentity && stub.route === route.paths[0] ? null : `admitted as ${response.text}`;
}
