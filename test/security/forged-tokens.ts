import { SignJWT } from "jose";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { MASTER_KEY } from "../app.ts";
import { type Person, ROOT_SECRET, type World } from "./world.ts";

const { sessionKey, keyPepper, fingerprint } = deriveSecrets(ROOT_SECRET);
const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Forgery {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
  readonly key?: Uint8Array;
}

/** Tokens that are almost right: each names a live session, and one thing about it is wrong. */
export async function forgedTokens(person: Person): Promise<ReadonlyMap<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const good = {
    sid: person.sessionId,
    iss: "turnpike",
    aud: "platform",
    sub: String(person.id),
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 600,
  };
  const sign = ({ header = {}, claims = {}, key = sessionKey }: Forgery): Promise<string> => {
    const all = Object.fromEntries(Object.entries({ ...good, ...claims }).filter(([, value]) => value !== undefined));
    return new SignJWT(all).setProtectedHeader({ alg: "HS256", typ: "JWT", ...header } as { alg: string }).sign(key);
  };
  const [head = "", payload = "", signature = ""] = person.token.split(".");
  const changed = (changes: Record<string, unknown>): string =>
    encode({ ...JSON.parse(Buffer.from(payload, "base64url").toString()), ...changes });
  const publicTexts = {
    fingerprint,
    issuer: "turnpike",
    empty: "\0",
    secret: "secret",
    root: ROOT_SECRET,
    master: MASTER_KEY,
  };

  const tokens = new Map<string, string>();
  for (const alg of ["none", "None", "NONE", "nOnE"]) {
    tokens.set(`alg ${alg}, no signature`, `${encode({ alg, typ: "JWT" })}.${payload}.`);
    tokens.set(`alg ${alg}, the old signature`, `${encode({ alg, typ: "JWT" })}.${payload}.${signature}`);
    tokens.set(`alg ${alg}, two parts`, `${encode({ alg, typ: "JWT" })}.${payload}`);
  }
  for (const alg of ["", "hs256", "RS256", "ES256", "PS256", "EdDSA", "HS1", null, ["HS256"], { alg: "HS256" }]) {
    tokens.set(`alg ${JSON.stringify(alg)}`, `${encode({ alg, typ: "JWT" })}.${payload}.${signature}`);
  }
  tokens.set("no alg", `${encode({ typ: "JWT" })}.${payload}.${signature}`);
  for (const alg of ["HS384", "HS512"]) {
    tokens.set(
      `${alg} with the right key`,
      await sign({ header: { alg }, key: Buffer.concat([sessionKey, new Uint8Array(64)]) }),
    );
    tokens.set(
      `${alg} with a padded key`,
      await sign({ header: { alg }, key: Buffer.concat([sessionKey, sessionKey]) }),
    );
  }
  for (const [name, text] of Object.entries(publicTexts))
    tokens.set(`signed with the ${name}`, await sign({ key: utf8(text) }));
  tokens.set("signed with the pepper of keys", await sign({ key: keyPepper }));
  tokens.set("signed with the key in hex", await sign({ key: utf8(Buffer.from(sessionKey).toString("hex")) }));
  const jwk = { kty: "oct", k: Buffer.from("attacker").toString("base64url"), alg: "HS256" };
  tokens.set("an embedded key", await sign({ header: { jwk }, key: utf8("attacker") }));
  for (const kid of ["../../../dev/null", "' or 1=1--", "http://127.0.0.1/key", "", "0"]) {
    tokens.set(
      `kid ${kid}`,
      await sign({ header: { kid, jku: "http://127.0.0.1/jwks", x5u: "http://127.0.0.1/x" }, key: utf8("\0") }),
    );
  }
  tokens.set(
    "an unknown critical header",
    await sign({ header: { alg: "HS256", typ: "JWT" } }).then((token) => {
      const [, body = ""] = token.split(".");
      const hostile = encode({ alg: "HS256", crit: ["exp"], exp: 1 });
      return `${hostile}.${body}.${new Bun.CryptoHasher("sha256", sessionKey).update(`${hostile}.${body}`).digest("base64url")}`;
    }),
  );

  for (const [name, claims] of Object.entries({
    "a list of other audiences": { aud: ["gateway", "admin"] },
    "no audience": { aud: undefined },
    "no issuer": { iss: undefined },
    "no end": { exp: undefined },
    "no beginning": { iat: undefined },
    "no subject": { sub: undefined },
    "no session": { sid: undefined },
    "an empty session": { sid: "" },
    "a session that is a list": { sid: [person.sessionId] },
    "a session that is an object": { sid: { id: person.sessionId } },
    "a session with a null byte": { sid: `${person.sessionId}\0` },
    "an end long past": { exp: now - 100_000 },
    "an end that is a text": { exp: String(now + 600) },
    "an end at zero": { exp: 0 },
    "a beginning in the future": { iat: now + 3_600 },
    "not before the future": { nbf: now + 3_600 },
    "not before that is a text": { nbf: "0" },
    "another user's subject": { sub: String(person.id + 1) },
    "the first administrator's subject": { sub: "1" },
    "an issuer with a space": { iss: "turnpike " },
  } as Record<string, Record<string, unknown>>)) {
    tokens.set(name, await sign({ claims }));
  }

  tokens.set("a tampered subject", `${head}.${changed({ sub: "1" })}.${signature}`);
  tokens.set("a tampered role", `${head}.${changed({ role: "admin", admin: true })}.${signature}`);
  tokens.set("a tampered end", `${head}.${changed({ exp: now + 10_000_000 })}.${signature}`);
  tokens.set("one more part", `${person.token}.${signature}`);
  tokens.set("five parts", `${person.token}.a.b`);
  tokens.set("an empty part more", `${person.token}.`);
  tokens.set("a short signature", `${head}.${payload}.${signature.slice(0, 8)}`);
  tokens.set("a longer signature", `${head}.${payload}.${signature}AAAA`);
  tokens.set("the signature twice", `${head}.${payload}.${signature}${signature}`);
  tokens.set("only dots", "..");
  tokens.set("no parts", "e30");
  tokens.set("empty objects", `${encode({})}.${encode({})}.${signature}`);
  tokens.set("a payload that is no object", `${head}.${encode("[]")}.${signature}`);
  tokens.set("8 KB of payload", await sign({ claims: { padding: "x".repeat(8_192) }, key: utf8("attacker") }));
  tokens.set("64 KB of dots", ".".repeat(65_536));
  tokens.set("8 KB of signature", `${head}.${payload}.${"A".repeat(8_192)}`);
  tokens.set("deep JSON", `${encode(`{"alg":${"[".repeat(4_000)}${"]".repeat(4_000)}}`)}.${payload}.${signature}`);
  return tokens;
}

/** A token that was signed by us, with claims about rights: they count for nothing. */
export async function boastfulToken(world: World, person: Person): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sid: person.sessionId, role: "admin", isAdmin: true, userId: 1, organizationId: "x", scope: "*" };
  const token = await new SignJWT({
    ...claims,
    iss: "turnpike",
    aud: "platform",
    iat: now,
    exp: now + 600,
    sub: String(person.id),
  })
    .setProtectedHeader({ alg: "HS256" })
    .sign(sessionKey);
  return world.secret("session token", token);
}
