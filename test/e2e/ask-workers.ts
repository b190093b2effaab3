import type { Turnpike } from "./process.ts";

export const MASTER = "sk-master-key-of-the-workers";

/** A connection of its own: the kernel gives each to one of the workers. */
export const request = (
  turnpike: Turnpike,
  path: string,
  key: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${turnpike.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });

export const chat = (turnpike: Turnpike, key: string, fields: object = {}, signal?: AbortSignal): Promise<Response> =>
  request(
    turnpike,
    "/v1/chat/completions",
    key,
    { model: "free", messages: [{ role: "user", content: "Hello!" }], ...fields },
    signal,
  );

export async function newKey(turnpike: Turnpike, fields: object = {}): Promise<string> {
  const response = await request(turnpike, "/key/generate", MASTER, fields);
  return ((await response.json()) as { key: string }).key;
}

/** How often each answer came, of so many calls. */
export async function statuses(calls: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const call of calls) {
    const response = await call;
    await response.arrayBuffer();
    counts[response.status] = (counts[response.status] ?? 0) + 1;
  }
  return counts;
}

export const many = (count: number, call: () => Promise<Response>): Promise<Response>[] =>
  Array.from({ length: count }, call);
