import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";

export interface TokenDeps {
  readonly fetch: (
    url: string,
    init: { method: string; headers: Record<string, string>; body: string; signal: AbortSignal },
  ) => Promise<Response>;
  readonly nowMs: () => number;
}

export interface Token {
  readonly value: string;
  readonly staleAtMs: number;
}

/** A token must outlive the call that carries it, and a clock that is a little off. */
const STALE_BEFORE_EXPIRY_MS = 120_000;
/** Credentials can come with requests, where an operator allows it; their tokens must not pile up. */
const TOKENS_MAX = 1000;

/** Tokens are kept until shortly before they expire; calls that need the same one at the same time ask once. */
export function keepTokens(
  request: (credentials: string) => Promise<Token>,
  nowMs: () => number,
): (credentials: string) => Promise<string> {
  const known = new Map<string, Token>();
  const underWay = new Map<string, Promise<Token>>();

  async function load(credentials: string): Promise<Token> {
    const token = await request(credentials);
    known.delete(credentials);
    for (const oldest of known.keys()) {
      if (known.size < TOKENS_MAX) break;
      known.delete(oldest);
    }
    known.set(credentials, token);
    return token;
  }

  return async (credentials) => {
    const token = known.get(credentials);
    if (token !== undefined && nowMs() < token.staleAtMs) return token.value;
    let loading = underWay.get(credentials);
    if (loading === undefined) {
      loading = load(credentials).finally(() => underWay.delete(credentials));
      underWay.set(credentials, loading);
    }
    return (await loading).value;
  };
}

/** `who` issues the token, as messages call it. */
export async function askForToken(who: string, uri: string, form: URLSearchParams, deps: TokenDeps): Promise<Token> {
  const askedAtMs = deps.nowMs();
  const { status, answer } = await post(who, uri, form, deps);
  if (status < 200 || status > 299) throw rejected(who, status, answer);
  const value = isRecord(answer) ? answer.access_token : null;
  if (!isRecord(answer) || typeof value !== "string" || value === "") {
    throw refused(`${who}'s token endpoint gave no access token.`);
  }
  const seconds = typeof answer.expires_in === "number" && answer.expires_in > 0 ? answer.expires_in : 0;
  const lifeMs = seconds * 1000;
  return { value, staleAtMs: askedAtMs + Math.max(lifeMs - STALE_BEFORE_EXPIRY_MS, lifeMs / 2) };
}

/** Secrets go over TLS, or do not leave this machine. */
export function requireSafeUri(uri: unknown, name: string): string {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  const isLocal = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (typeof uri === "string" && (url?.protocol === "https:" || (isLocal && url?.protocol === "http:"))) return uri;
  throw refused(`The ${name} is not an https address.`);
}

const ANSWER_TIMEOUT_MS = 10_000;
const ANSWER_CHARS_MAX = 64 * 1024;

async function post(
  who: string,
  uri: string,
  form: URLSearchParams,
  deps: TokenDeps,
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
    throw new GatewayError("connection", `${who}'s token endpoint cannot be reached.`);
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
function rejected(who: string, status: number, answer: unknown): GatewayError {
  if (status >= 500 || status === 429) {
    return new GatewayError("upstream_unavailable", `${who}'s token endpoint answered with status ${status}.`);
  }
  const code = isRecord(answer) && typeof answer.error === "string" ? answer.error : "";
  const said = /^[a-z_]{1,60}$/.test(code) ? ` (${code})` : "";
  return refused(
    `${who} gave no token for the credentials of this deployment${said}. The operator has to look at them.`,
  );
}

export const refused = (message: string): GatewayError => new GatewayError("upstream_authentication", message);
