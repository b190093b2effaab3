import type { TestApp } from "../app.ts";

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

/** Calls as a script makes them: JSON there and back, with one credential. */
export function errorFormat(app: TestApp, credential: string) {
  const send = async (method: string, path: string, json?: unknown): Promise<Answer> => {
    const response = await app.call(path, { method, key: credential, ...(json === undefined ? {} : { json }) });
    return { status: response.status, body: await response.json() };
  };
  return {
    send,
    get: (path: string) => send("GET", path),
    post: (path: string, json: unknown) => send("POST", path, json),
  };
}
