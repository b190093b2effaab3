import { call, type Query } from "./client.ts";

/** A part of a list that is read from one id to the next. */
export interface CursorList<T> {
  readonly data: readonly T[];
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** The gateway's own paths, called with one of the person's keys. */
export interface KeyApi {
  readonly keyId: string;
  readonly headers: Readonly<Record<string, string>>;
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, json?: unknown, signal?: AbortSignal): Promise<T>;
  remove(path: string): Promise<void>;
  /** The answer itself, for streams and files. */
  open(method: "GET" | "POST", path: string, json?: unknown, signal?: AbortSignal): Promise<Response>;
}

export function keyApi(keyId: string): KeyApi {
  const headers = { "x-gw-key-id": keyId };
  return {
    keyId,
    headers,
    async get<T>(path: string, query?: Query, signal?: AbortSignal) {
      return (await call("GET", path, { headers, query, signal })).json() as Promise<T>;
    },
    async post<T>(path: string, json: unknown = {}, signal?: AbortSignal) {
      return (await call("POST", path, { headers, json, signal })).json() as Promise<T>;
    },
    async remove(path) {
      await call("DELETE", path, { headers });
    },
    open: (method, path, json, signal) => call(method, path, { headers, json, signal }),
  };
}
