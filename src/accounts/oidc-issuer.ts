import type { Configuration } from "openid-client";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client that has none; PKCE protects both kinds. */
  readonly clientSecret: string | null;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Of e-mail addresses that may sign in; empty means any. */
  readonly allowedDomains: readonly string[];
  readonly allowSignUp: boolean;
  /** The organization that new people join, in place of one of their own. */
  readonly organizationId: string | null;
}

/** What one sign-in has to come back with. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who somebody is, in the issuer's words. */
export interface OidcClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** What the issuer says of itself is asked for again after this time; its keys are looked up when an unknown one signs. */
const DISCOVERY_MS = 60 * 60 * 1000;
const TIMEOUT_MS = 10_000;
const CLOCK_TOLERANCE_SECONDS = 30;

const CONTROL = /\p{Cc}+/u;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One issuer of OpenID Connect. The protocol is the library's; here is what it is asked for and what its failures mean. */
export class OidcIssuer {
  private discovered: { readonly configuration: Promise<Configuration>; readonly atMs: number } | null = null;

  constructor(
    readonly settings: OidcSettings,
    private readonly clock: Clock,
    private readonly fetch: Fetch,
  ) {}

  async authorizationUrl(redirectUri: string, { state, nonce, verifier }: OidcChecks): Promise<URL> {
    const configuration = await this.configuration();
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import("openid-client");
    return buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes.join(" "),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
  }

  /** Exchanges the code that `callback` has for who it is. Everything in it comes from outside. */
  async identify(callback: URL, { state, nonce, verifier }: OidcChecks): Promise<OidcClaims> {
    const configuration = await this.configuration();
    const { authorizationCodeGrant, fetchUserInfo } = await import("openid-client");
    try {
      const tokens = await authorizationCodeGrant(configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error("the issuer gave no identity token");
      if (CONTROL.test(claims.sub)) throw new Error("the issuer's subject holds characters that no name has");
      // Some issuers tell the address only when they are asked once more.
      const more =
        claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: textOf(more.email),
        emailVerified: more.email_verified === true,
        name: textOf(more.name ?? claims.name),
      };
    } catch (thrown) {
      throw isDown(thrown) ? down(this.settings.name, thrown) : refused(thrown);
    }
  }

  private configuration(): Promise<Configuration> {
    const now = this.clock.monotonicMs();
    if (this.discovered && now - this.discovered.atMs < DISCOVERY_MS) return this.discovered.configuration;
    const configuration = this.discover();
    this.discovered = { configuration, atMs: now };
    // A failure is not kept: the next one who signs in asks again.
    configuration.catch(() => {
      if (this.discovered?.configuration === configuration) this.discovered = null;
    });
    return configuration;
  }

  private async discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret, name } = this.settings;
    const client = await import("openid-client");
    const isPlain = new URL(issuer).protocol === "http:";
    const metadata = { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const authentication = clientSecret === null ? client.None() : client.ClientSecretPost(clientSecret);
    try {
      return await client.discovery(new URL(issuer), clientId, metadata, authentication, {
        timeout: TIMEOUT_MS / 1000,
        [client.customFetch]: (url, init) => this.reach(url, init as RequestInit),
        // Signatures are checked although the token comes straight from the issuer: the connection may end at a proxy.
        execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
      });
    } catch (thrown) {
      throw down(name, thrown);
    }
  }

  private async reach(url: string, init: RequestInit): Promise<Response> {
    const answer = await this.fetch(url, init).catch((cause) => {
      throw new IssuerDown("the issuer cannot be reached", { cause });
    });
    if (answer.status >= 500) throw new IssuerDown(`the issuer answered ${answer.status}`);
    return answer;
  }
}

class IssuerDown extends Error {}

/** The library wraps what its `fetch` threw. */
function isDown(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof IssuerDown || error.name === "TimeoutError" || error.name === "AbortError") return true;
  }
  return false;
}

const down = (name: string, cause: unknown): GatewayError =>
  new GatewayError("connection", `${name} cannot be reached; try again shortly, or log in with a password.`, { cause });

const refused = (cause: unknown): GatewayError =>
  new GatewayError("authentication", "The sign-in was not completed; begin again.", { cause });

/** Without what cannot be shown, and what no database takes. */
const textOf = (value: unknown): string | null =>
  (typeof value === "string" && value.replace(new RegExp(CONTROL, "gu"), " ").toWellFormed().trim()) || null;
