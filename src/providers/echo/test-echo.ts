import { createEcho } from "./echo.ts";
import type { FailureBody } from "./failure.ts";

/** What a real sleep does, without the time: it fails when its signal is aborted. */
export async function instantSleep(_ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
}

/** An echo with a fixed time and counted ids, called without a socket. */
export function testEcho(sleep = instantSleep) {
  let ids = 0;
  const echo = createEcho({ nowMs: () => 1_700_000_000_000, sleep, newId: () => String(++ids) });
  const post = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
    echo(
      new Request(`http://echo.test/v1/${path}`, {
        method: "POST",
        body: body instanceof FormData ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  return {
    echo,
    post,
    /** The body of a success; a failure fails the test with its message. */
    async json<T>(path: string, body: unknown): Promise<T> {
      const response = await post(path, body);
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    },
    /** Status and error object of a refusal. */
    async refusal(path: string, body: unknown) {
      const response = await post(path, body);
      const { error } = (await response.json()) as FailureBody;
      return { status: response.status, ...error };
    },
    /** The `data:` payloads of a stream in order, `[DONE]` left out. */
    async events<T>(path: string, body: object): Promise<T[]> {
      const response = await post(path, { ...body, stream: true });
      return parseEvents<T>(await response.text());
    },
  };
}

export function parseEvents<T>(text: string): T[] {
  const frames = text.split("\n\n").filter((frame) => frame !== "" && frame !== "data: [DONE]");
  return frames.map((frame) => JSON.parse(frame.slice("data: ".length)) as T);
}

export function said(text: string) {
  return { model: "echo", messages: [{ role: "user", content: text }] };
}
