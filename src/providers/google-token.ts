import { importPKCS8, SignJWT } from "jose";
import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";

interface GoogleTokenDeps {
  readonly fetch: (
    url: string,
    init: { method: string; headers: Record<string, string>; body: string; signal: AbortSignal },
  ) => Promise<Response>;
  readonly nowMs: () => number;
}

interface GoogleTokens {
  /** A token for the account of a key file, given as the file's JSON text. */
  accessToken(credentialsJson: string): Promise<string>;
}

interface Token {
  readonly value: string;
  readonly staleAtMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const ASSERTION_SECONDS = 3600;
/** A token must outlive the call that carries it, and a clock that is a little off. */
const STALE_BEFORE_EXPIRY_MS = 120_000;
/** Credentials can come with requests, where an operator allows it; their tokens must not pile up. */
const TOKENS_MAX = 1000;

/** Tokens are kept until shortly before they expire; calls that need the same one at the same time ask once. */
export function createGoogleTokens(deps: GoogleTokenDeps): GoogleTokens {
  const known = new Map<string, Token>();
  const underWay = new Map<string, Promise<Token>>();

  async function load(credentialsJson: string): Promise<Token> {
    const token = await requestToken(readCredentials(credentialsJson), deps);
    known.delete(credentialsJson);
    for (const oldest of known.keys()) {
      if (known.size < TOKENS_MAX) break;
      known.delete(oldest);
    }
    known.set(credentialsJson, token);
    return token;
  }

  return {
    async accessToken(credentialsJson) {
      const token = known.get(credentialsJson);
      if (token !== undefined && deps.nowMs() < token.staleAtMs) return token.value;
      let loading = underWay.get(credentialsJson);
      if (loading === undefined) {
        loading = load(credentialsJson).finally(() => underWay.delete(credentialsJson));
        underWay.set(credentialsJson, loading);
      }
      return (await loading).value;
    },
  };
}

function readCredentials(text: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) return parsed;
  } catch {
    // The parser's message would quote the secret.
  }
  throw refused("The Google credentials of this deployment are not the JSON of a key file.");
}

async function requestToken(credentials: Fields, deps: GoogleTokenDeps): Promise<Token> {
  const uri = tokenUri(credentials);
  const askedAtMs = deps.nowMs();
  const form = await grant(credentials, uri, askedAtMs);
  const { status, answer } = await post(uri, form, deps);
  if (status < 200 || status > 299) throw rejected(status, answer);
  const value = isRecord(answer) ? answer.access_token : null;
  if (!isRecord(answer) || typeof value !== "string" || value === "") {
    throw refused("Google's token endpoint gave no access token.");
  }
  const seconds = typeof answer.expires_in === "number" && answer.expires_in > 0 ? answer.expires_in : 0;
  const lifeMs = seconds * 1000;
  return { value, staleAtMs: askedAtMs + Math.max(lifeMs - STALE_BEFORE_EXPIRY_MS, lifeMs / 2) };
}

async function grant(credentials: Fields, uri: string, nowMs: number): Promise<URLSearchParams> {
  switch (credentials.type) {
    case "service_account":
      return new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: await assertion(credentials, uri, nowMs),
      });
    case "authorized_user":
      return new URLSearchParams({
        grant_type: "refresh_token",
        client_id: field(credentials, "client_id"),
        client_secret: field(credentials, "client_secret"),
        refresh_token: field(credentials, "refresh_token"),
      });
    default:
      throw refused("Google credentials are a key of type service_account or authorized_user.");
  }
}

async function assertion(credentials: Fields, audience: string, nowMs: number): Promise<string> {
  const issuer = field(credentials, "client_email");
  const pem = field(credentials, "private_key").replaceAll("\\n", "\n");
  const { private_key_id: keyId } = credentials;
  const nowSeconds = Math.floor(nowMs / 1000);
  try {
    const key = await importPKCS8(pem, "RS256");
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(typeof keyId === "string" ? { kid: keyId } : {}) })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ASSERTION_SECONDS)
      .sign(key);
  } catch {
    // No cause: what a library says about a key may quote it.
    throw refused("The private_key of the Google credentials cannot be read.");
  }
}

function field(credentials: Fields, name: string): string {
  const value = credentials[name];
  if (typeof value === "string" && value !== "") return value;
  throw refused(`The Google credentials have no ${name}.`);
}

/** From the key, as Google writes it there. Secrets go over TLS, or do not leave this machine. */
function tokenUri(credentials: Fields): string {
  const uri = credentials.token_uri ?? TOKEN_URI;
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  const isLocal = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (typeof uri === "string" && (url?.protocol === "https:" || (isLocal && url?.protocol === "http:"))) return uri;
  throw refused("The token_uri of the Google credentials is not an https address.");
}

const ANSWER_TIMEOUT_MS = 10_000;
const ANSWER_CHARS_MAX = 64 * 1024;

async function post(
  uri: string,
  form: URLSearchParams,
  deps: GoogleTokenDeps,
): Promise<{ status: number; answer: unknown }> {
  let response: Response;
  let text: string;
  try {
    response = await deps.fetch(uri, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: form.toString(),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    text = await readBounded(response);
  } catch {
    // No cause: an error of `fetch` may hold the request, and with it the secret.
    throw new GatewayError("connection", "Google's token endpoint cannot be reached.");
  }
  try {
    return { status: response.status, answer: JSON.parse(text) };
  } catch {
    return { status: response.status, answer: null };
  }
}

/** A token is a few kilobytes; what is longer is no answer. */
async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_CHARS_MAX) throw new RangeError("the answer is too long");
  }
  return text;
}

/** Only the error's code is told: the description can name the account. */
function rejected(status: number, answer: unknown): GatewayError {
  if (status >= 500 || status === 429) {
    return new GatewayError("upstream_unavailable", `Google's token endpoint answered with status ${status}.`);
  }
  const code = isRecord(answer) && typeof answer.error === "string" ? answer.error : "";
  const said = /^[a-z_]{1,60}$/.test(code) ? ` (${code})` : "";
  return refused(
    `Google gave no token for the credentials of this deployment${said}. The operator has to look at them.`,
  );
}

const refused = (message: string): GatewayError => new GatewayError("upstream_authentication", message);
