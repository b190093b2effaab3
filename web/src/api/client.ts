import { ApiError } from "./api-error.ts";
import { keepServerTime } from "./server-clock.ts";

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface CallOptions {
  readonly query?: Query | undefined;
  readonly json?: unknown;
  readonly body?: FormData | Blob | string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The token that the server wants with each change; it belongs to the session in the cookie and comes with `me`. */
let csrfToken: string | null = null;
export const keepCsrfToken = (token: string | null): void => {
  csrfToken = token;
};

/** Whose page it is. */
let userId: number | null = null;
export const keepUser = (id: number): void => {
  userId = id;
};

export const csrfHeaders = (): Readonly<Record<string, string>> =>
  csrfToken === null ? {} : { "x-csrf-token": csrfToken };

let onSignedOut: (error: ApiError) => void = () => undefined;
/** Called when the session has ended and cannot be renewed. */
export const whenSignedOut = (listener: (error: ApiError) => void): void => {
  onSignedOut = listener;
};

let onAnother: () => void = () => undefined;
/** Called when the session in the browser has become somebody else's. */
export const whenAnother = (listener: () => void): void => {
  onAnother = listener;
};

/** Reads `path` and gives its JSON. Everything that goes wrong is an `ApiError`. */
export const apiGet = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
  readJson<T>("GET", path, { query, signal });
export const apiPost = <T>(path: string, json?: unknown, options: CallOptions = {}): Promise<T> =>
  readJson<T>("POST", path, { ...options, json });
export const apiPut = <T>(path: string, json?: unknown): Promise<T> => readJson<T>("PUT", path, { json });
export const apiPatch = <T>(path: string, json?: unknown): Promise<T> => readJson<T>("PATCH", path, { json });
export const apiDelete = <T>(path: string, json?: unknown): Promise<T> => readJson<T>("DELETE", path, { json });

async function readJson<T>(method: string, path: string, options: CallOptions): Promise<T> {
  const response = await call(method, path, options);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError(response, null);
  }
}

/** The answer itself, for streams and files. A session that has just ended is renewed, and the call made once more. */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  let response = await send(method, path, options);
  if (await mendSession(response, path)) response = await send(method, path, options);
  if (response.ok) return response;
  const error = new ApiError(response, await response.json().catch(() => null));
  if (error.status === 401 && !isSigningIn(path)) onSignedOut(error);
  throw error;
}

const isSigningIn = (path: string): boolean => /^\/api\/auth\/(token|signup|passkeys\/sign-in)$/.test(path);

async function send(
  method: string,
  path: string,
  { query, json, body, headers, signal }: CallOptions,
): Promise<Response> {
  const isChange = method !== "GET";
  const sent = {
    ...(json === undefined ? {} : { "content-type": "application/json" }),
    ...(isChange ? csrfHeaders() : {}),
    ...headers,
  };
  try {
    const answer = await fetch(withQuery(path, query), {
      method,
      headers: sent,
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
      signal: signal ?? null,
      credentials: "same-origin",
    });
    keepServerTime(answer);
    return answer;
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    throw new ApiError(null, null);
  }
}

export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Many calls may find at once that the session has ended: it is renewed once for all of them. */
let mending: Promise<boolean> | null = null;

async function mendSession(response: Response, path: string): Promise<boolean> {
  if (isSigningIn(path) || csrfToken === null) return false;
  if (response.status !== 401 && !(await isStaleToken(response))) return false;
  mending ??= (response.status === 401 ? renewSession() : readToken()).finally(() => {
    mending = null;
  });
  return mending;
}

/** Another tab has logged in anew: the cookie is another session's now, the token in memory is not. */
async function isStaleToken(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { error?: unknown } | null;
  return typeof body?.error === "string" && body.error.includes("x-csrf-token");
}

async function readToken(): Promise<boolean> {
  const response = await send("GET", "/api/auth/me", {});
  if (!response.ok) return false;
  const me = (await response.json()) as { user: { id: number }; csrfToken?: string };
  // What was asked for as one person must not be done as another one.
  if (userId !== null && me.user.id !== userId) {
    onAnother();
    return false;
  }
  keepCsrfToken(me.csrfToken ?? null);
  return true;
}

/** A token is good for a day; renewed in time, nobody notices. False when the session has ended for good. */
export async function renewSession(): Promise<boolean> {
  const response = await send("POST", "/api/auth/token/refresh", {});
  if (!response.ok) return false;
  keepCsrfToken(((await response.json()) as { csrfToken?: string }).csrfToken ?? csrfToken);
  return true;
}
