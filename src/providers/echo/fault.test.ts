import { describe, expect, test } from "bun:test";
import type { ChatCompletionChunk } from "openai/resources";
import type { FailureBody } from "./failure.ts";
import { FaultBook } from "./fault.ts";
import { parseEvents, said, testEcho } from "./test-echo.ts";

const { post, refusal } = testEcho();
const chat = (fault: object, extra: object = {}) =>
  post("chat/completions", { ...said("one two three"), ...extra, echo_fault: fault });

/** Reads until the end or the break. */
async function readAll(response: Response): Promise<{ readonly text: string; readonly broke: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
    return { text, broke: false };
  } catch {
    return { text, broke: true };
  }
}

function countPieces(text: string): number {
  return parseEvents<ChatCompletionChunk>(text).filter(({ choices }) => (choices[0]?.delta.content ?? "") !== "")
    .length;
}

describe("a status", () => {
  test("comes with an error that fits it, and with retry-after", async () => {
    const response = await chat({ status: 429, retry_after: 7 });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await response.json()).toMatchObject({ error: { type: "requests", code: "rate_limit_exceeded" } });
  });

  test("may say what the test wants it to say", async () => {
    const fault = {
      status: 400,
      message: "Too long",
      error_type: "invalid_request_error",
      error_code: "context_length_exceeded",
    };
    expect(await (await chat(fault)).json()).toEqual({
      error: { message: "Too long", type: "invalid_request_error", param: null, code: "context_length_exceeded" },
    });
  });

  test("is honoured by every operation, forms included", async () => {
    for (const path of ["completions", "embeddings", "images/generations", "audio/speech", "moderations"]) {
      expect((await post(path, { echo_fault: { status: 503 } })).status).toBe(503);
    }
    const form = new FormData();
    form.set("echo_fault", '{"status": 503}');
    expect((await post("audio/transcriptions", form)).status).toBe(503);
  });
});

describe("a delay", () => {
  test("is slept before the answer, and before each piece of a stream", async () => {
    const slept: number[] = [];
    const slow = testEcho(async (ms) => {
      slept.push(ms);
    });
    const body = { ...said("Hi"), stream: true, echo_fault: { delay_ms: 500, token_delay_ms: 20 } };
    await (await slow.post("chat/completions", body)).text();
    expect(slept).toEqual([500, 20, 20, 20, 20]);
  });

  test("ends at once when the caller leaves", async () => {
    let wasAborted = false;
    const slow = testEcho((_, signal) => {
      const { promise, reject } = Promise.withResolvers<void>();
      signal?.addEventListener("abort", () => {
        wasAborted = true;
        reject(signal.reason);
      });
      return promise;
    });
    const response = await slow.post("chat/completions", {
      ...said("Hi"),
      stream: true,
      echo_fault: { token_delay_ms: 9000 },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    const waiting = reader?.read();
    await reader?.cancel();
    await waiting;
    expect(wasAborted).toBe(true);
    const aborter = new AbortController();
    const call = slow.post("chat/completions", { ...said("Hi"), echo_fault: { delay_ms: 9000 } }, aborter.signal);
    setImmediate(() => aborter.abort());
    expect(call).rejects.toThrow();
    await call.catch(() => undefined);
  });
});

describe("a stream", () => {
  test("that is cut has sent so many pieces and breaks without [DONE]", async () => {
    for (const cut_after of [0, 1, 3, 6]) {
      const { text, broke } = await readAll(await chat({ cut_after }, { stream: true }));
      expect(broke).toBe(true);
      expect(text).not.toContain("[DONE]");
      expect(countPieces(text)).toBe(cut_after);
    }
  });

  test("with an error in it sends the error as its last frame", async () => {
    const fault = { error_after: 2, status: 503, error_code: "overloaded" };
    const { text, broke } = await readAll(await chat(fault, { stream: true }));
    expect(broke).toBe(false);
    const frames = parseEvents<FailureBody>(text);
    expect(frames.at(-1)?.error).toMatchObject({ type: "server_error", code: "overloaded" });
    expect(text).not.toContain("[DONE]");
    expect(frames).toHaveLength(1 + 2 + 1);
  });

  test("is made only as it is read, without timers", async () => {
    const idle = testEcho(() => Promise.reject(new Error("no timer is wanted here")));
    const response = await idle.post("chat/completions", { ...said("word ".repeat(1000)), stream: true });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"role":"assistant"');
    await reader?.cancel();
    expect((await reader?.read())?.done).toBe(true);
  });

  test("ends with the reason of an aborted request", async () => {
    const aborter = new AbortController();
    const response = await post("chat/completions", { ...said("x"), stream: true }, aborter.signal);
    aborter.abort(new Error("gone"));
    expect(response.text()).rejects.toThrow("gone");
  });
});

describe("an answer that is not streamed", () => {
  test("breaks in the middle when cut", async () => {
    const { text, broke } = await readAll(await chat({ cut_after: 1 }));
    expect(broke).toBe(true);
    expect(text).toStartWith('{"id"');
    expect(() => JSON.parse(text)).toThrow();
  });

  test("is the error when one is asked for in the middle", async () => {
    expect((await chat({ error_after: 1 })).status).toBe(500);
  });
});

describe("malformed answers", () => {
  test("html is a page, under any status", async () => {
    const response = await chat({ malformed: "html", status: 502 });
    expect(response.status).toBe(502);
    expect(response.headers.get("content-type")).toContain("text/html");
  });

  test("half_json and empty cannot be parsed", async () => {
    for (const malformed of ["half_json", "empty"]) {
      const response = await chat({ malformed });
      expect(response.status).toBe(200);
      expect(response.json()).rejects.toThrow();
    }
    expect(await (await chat({ malformed: "half_json" }, { stream: true })).text()).toStartWith("data: {");
  });

  test("invalid_utf8 is not UTF-8", async () => {
    const bytes = await (await chat({ malformed: "invalid_utf8" })).arrayBuffer();
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toThrow();
  });

  test("endless_line goes on without a line break for as long as it is read", async () => {
    const reader = (await chat({ malformed: "endless_line" }, { stream: true })).body?.getReader();
    for (let reads = 0; reads < 100; reads++) expect((await reader?.read())?.value).not.toContain(0x0a);
    await reader?.cancel();
  });
});

describe("times", () => {
  test("only the first so many requests with the same key misbehave", async () => {
    const statuses = async (key: string) => {
      const fault = { status: 500, times: 2, key };
      return [await chat(fault), await chat(fault), await chat(fault)].map(({ status }) => status);
    };
    expect(await statuses("a")).toEqual([500, 500, 200]);
    expect(await statuses("b")).toEqual([500, 500, 200]);
    expect(await statuses("a")).toEqual([200, 200, 200]);
  });

  test("the book of keys does not grow without end", () => {
    const book = new FaultBook(2);
    const take = (key: string) => book.take({ echo_fault: { status: 500, times: 1, key } });
    for (const key of ["a", "b", "c"]) expect(take(key)).toBeDefined();
    expect(take("c")).toBeUndefined();
    expect(take("a")).toBeDefined();
  });
});

test("an unknown name in a fault is refused, so that a test cannot pass by a typing error", async () => {
  expect(await refusal("chat/completions", { ...said("x"), echo_fault: { statuss: 500 } })).toMatchObject({
    status: 400,
    param: "echo_fault",
  });
});
