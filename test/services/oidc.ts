import { createHash, randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export const CLIENT = { id: "turnpike", secret: "the-secret-of-the-client" };

/** Somebody at the issuer; what they are is up to a test. */
export interface Somebody {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
}

/** What the issuer does wrong, for a test of who notices. */
export interface Wrongs {
  /** Changes the claims before they are signed. */
  readonly claims?: (claims: JWTPayload) => JWTPayload;
  /** Signs with no algorithm, with a key that is not published, or with the client's secret. */
  readonly signature?: "none" | "foreign" | "symmetric";
  readonly withoutIdToken?: boolean;
  /** Says the address only at the user-info endpoint. */
  readonly emailApart?: boolean;
}

interface Grant {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly somebody: Somebody;
  readonly wrongs: Wrongs;
}

/** A real issuer of OpenID Connect over HTTP: discovery, keys, tokens against PKCE and a client's secret, codes good once. */
export class OidcService {
  isDown = false;
  /** Whom the issuer's own page lets go on; null: it has no page. */
  atDesk: Somebody | null = null;
  /** How often each path was asked for. */
  readonly asked = new Map<string, number>();
  private readonly grants = new Map<string, Grant>();
  private readonly told = new Map<string, Somebody>();

  private constructor(
    private readonly server: Bun.Server<undefined>,
    private readonly keys: CryptoKeyPair,
    private readonly foreign: CryptoKeyPair,
  ) {}

  static async start(): Promise<OidcService> {
    const [keys, foreign] = [await newKeys(), await newKeys()];
    const made: { service?: OidcService } = {};
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => made.service?.answer(request) ?? new Response(null, { status: 500 }),
    });
    made.service = new OidcService(server, keys, foreign);
    return made.service;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** What a person's browser does at the issuer: they sign in, and it is sent back to where this says. */
  authorize(address: string, somebody: Somebody, wrongs: Wrongs = {}): URL {
    const asked = new URL(address).searchParams;
    const field = (name: string): string => asked.get(name) ?? "";
    if (field("client_id") !== CLIENT.id || field("response_type") !== "code") throw new Error("no such client");
    if (field("code_challenge_method") !== "S256" || field("code_challenge") === "") throw new Error("PKCE is missing");
    const code = randomUUID();
    const redirectUri = field("redirect_uri");
    this.grants.set(code, { challenge: field("code_challenge"), nonce: field("nonce"), redirectUri, somebody, wrongs });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: field("state"), iss: this.issuer }).toString();
    return back;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.asked.set(pathname, (this.asked.get(pathname) ?? 0) + 1);
    if (this.isDown) return new Response("down", { status: 503 });
    if (pathname === "/.well-known/openid-configuration") return Response.json(this.discovery());
    if (pathname === "/keys") return Response.json({ keys: [await publicKey(this.keys)] });
    if (pathname === "/authorize" && this.atDesk) {
      const back = this.authorize(request.url, this.atDesk).href.replaceAll("&", "&amp;");
      const body = `<!doctype html><title>Example</title><h1>Example</h1><a href="${back}">Go on</a>`;
      return new Response(body, { headers: { "content-type": "text/html" } });
    }
    if (pathname === "/token") return this.token(new URLSearchParams(await request.text()));
    if (pathname === "/userinfo") {
      const somebody = this.told.get(request.headers.get("authorization")?.slice("Bearer ".length) ?? "");
      return somebody ? Response.json(somebody) : new Response(null, { status: 401 });
    }
    return new Response(null, { status: 404 });
  }

  private discovery(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ["S256"],
    };
  }

  private async token(sent: URLSearchParams): Promise<Response> {
    const code = sent.get("code") ?? "";
    const grant = this.grants.get(code);
    this.grants.delete(code);
    const challenge = createHash("sha256")
      .update(sent.get("code_verifier") ?? "")
      .digest("base64url");
    const isClient = sent.get("client_id") === CLIENT.id && sent.get("client_secret") === CLIENT.secret;
    if (!isClient) return Response.json({ error: "invalid_client" }, { status: 401 });
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== sent.get("redirect_uri")) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const accessToken = randomUUID();
    this.told.set(accessToken, grant.somebody);
    const idToken = grant.wrongs.withoutIdToken ? {} : { id_token: await this.idToken(grant) };
    return Response.json({ access_token: accessToken, token_type: "Bearer", expires_in: 60, ...idToken });
  }

  private async idToken({ nonce, somebody, wrongs }: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const { email: _email, email_verified: _verified, ...bare } = somebody;
    const about = wrongs.emailApart ? bare : somebody;
    const usual: JWTPayload = { iss: this.issuer, aud: CLIENT.id, iat: now, exp: now + 60, nonce, ...about };
    const claims = wrongs.claims?.(usual) ?? usual;
    const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    if (wrongs.signature === "none") return `${base64({ alg: "none" })}.${base64(claims)}.`;
    if (wrongs.signature === "symmetric") {
      return new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(CLIENT.secret.padEnd(32, "x")));
    }
    const keys = wrongs.signature === "foreign" ? this.foreign : this.keys;
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(keys.privateKey);
  }
}

const newKeys = (): Promise<CryptoKeyPair> => generateKeyPair("RS256") as Promise<CryptoKeyPair>;

const publicKey = async ({ publicKey: key }: CryptoKeyPair): Promise<object> => ({
  ...(await exportJWK(key)),
  kid: "one",
  use: "sig",
  alg: "RS256",
});
