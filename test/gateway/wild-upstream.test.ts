import { describe, expect, test } from "bun:test";
import { events, startRaw } from "./raw-upstream.ts";

/** What upstreams of OpenAI's form were seen to send, byte for byte, that the interface itself does not have. */
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chunk = (content: string, finish: string | null = null, more: object = {}) =>
  JSON.stringify({
    id: "1",
    object: "chat.completion.chunk",
    model: "x",
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    ...more,
  });
const spaced = (json: string) => json.replaceAll('":', '": ');
const answer = (status: string, type: string, body: string) =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const stream = (body: string) => answer("200 OK", "text/event-stream", body);
const plain = (body: object) => answer("200 OK", "application/json", JSON.stringify(body));
const unended = (status: string, body: string) => `HTTP/1.1 ${status}\r\nContent-Length: 9000\r\n\r\n${body}`;
const failure = (message: string, more: object) => JSON.stringify({ error: { message, ...more } });

const WHOLE: Readonly<Record<string, string>> = {
  "no [DONE]": events(chunk("a"), chunk("b", "stop", { usage: USAGE })),
  "no [DONE], and spaces in its JSON": events(spaced(chunk("a")), spaced(chunk("b", "stop", { usage: USAGE }))),
  "no [DONE] after a count by itself": events(
    chunk("a"),
    chunk("b", "stop"),
    JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "x", choices: [], usage: USAGE }),
  ),
  "CR LF and no [DONE]": events(chunk("a"), chunk("b", "stop", { usage: USAGE })).replaceAll("\n", "\r\n"),
  "a space behind [DONE]": events(chunk("a"), chunk("b", "stop", { usage: USAGE }), "[DONE] "),
  "events without data": `data:\n\n${events(chunk("a"))}data: \n\n${events(chunk("b", "stop", { usage: USAGE }), "[DONE]")}`,
};

const BROKEN: Readonly<Record<string, string>> = {
  "no reason to end": events(chunk("a"), chunk("b")),
  "a text that quotes a reason": events(chunk('"finish_reason":"stop"')),
};

const LIMIT = { code: 429 };
const FAILURES: Readonly<Record<string, readonly [sent: string, status: number, code: string, words: string]>> = {
  "a rate limit": [plain({ error: { message: "slow down", ...LIMIT } }), 429, "rate_limit_exceeded", "slow down"],
  "a number as text": [plain({ error: { message: "busy", code: "503" } }), 503, "upstream_unavailable", "busy"],
  "a number beside it": [plain({ error: "loading", code: 503 }), 503, "upstream_unavailable", "loading"],
  "a type": [plain({ error: { message: "no", type: "invalid_request_error" } }), 400, "invalid_request", "no"],
  "a prompt that is too long": [
    plain({ error: { message: "maximum context length is 10", code: 400 } }),
    400,
    "context_length_exceeded",
    "maximum context length",
  ],
  "a refused key": [
    plain({ error: { message: "key sk-1 is bad", code: 401 } }),
    502,
    "upstream_authentication_failed",
    "operator",
  ],
  "nothing that is known": [plain({ error: { message: "oops", code: 7 } }), 502, "upstream_error", "oops"],
  "no words": [plain({ error: {} }), 502, "upstream_error", "in the middle of its answer"],
  "the first event": [stream(events(failure("slow down", LIMIT))), 429, "rate_limit_exceeded", "slow down"],
  "nothing but [DONE]": [stream(events("[DONE]")), 502, "upstream_error", "before it said anything"],
  "an event's name": [
    stream('event: error\ndata: {"message":"slow down","code":429}\n\n'),
    429,
    "rate_limit_exceeded",
    "slow down",
  ],
};

/** Bodies with the status of success that are no answer and do not call themselves an error. */
const NO_ANSWERS: Readonly<Record<string, readonly [sent: string, status: number, words: string]>> = {
  "nothing in it": [plain({}), 502, "no "],
  "a detail": [plain({ detail: "Internal" }), 502, "Internal"],
  "an object that is an error": [plain({ object: "error", message: "prompt is too long", code: 400 }), 400, "too long"],
  "null for its list": [plain({ choices: null, data: null, results: null, usage: USAGE }), 502, "no "],
};

const REFUSALS: Readonly<Record<string, readonly [sent: string, status: number, words: string]>> = {
  "whose words do not end": [unended("503 Busy", failure("come back later", {}).padEnd(200)), 503, "come back later"],
  "whose words do not begin": [unended("500 Oops", ""), 502, "status 500"],
  "that redirects": ["HTTP/1.1 307 Over there\r\nLocation: /v2\r\nContent-Length: 0\r\n\r\n", 502, "redirect"],
  "that lists what does not fit": [
    answer(
      "422 No",
      "application/json",
      '{"detail":[{"loc":["body","top_k",{"toString":1}],"msg":"must be positive"}]}',
    ),
    400,
    "top_k: must be positive",
  ],
  "that lists what is wrong": [
    answer("400 No", "application/json", '{"success":false,"errors":[{"code":5,"message":"no such thing"}]}'),
    400,
    "no such thing",
  ],
};

/** Providers that have no text completions: theirs are made of chunks that are read. */
const OVER_CHAT = [
  "no [DONE]",
  "a space behind [DONE]",
  "nothing but [DONE]",
  "no reason to end",
  "a rate limit",
  "an event's name",
];

const NO_SOUNDS: Readonly<Record<string, readonly [sent: string, status: number, words: string]>> = {
  "an error": [plain({ error: { message: "no such voice", code: 400 } }), 400, "no such voice"],
  "a page": [answer("200 OK", "text/html; charset=utf-8", "<html>log in</html>"), 502, "not sound"],
};

const MID = "an error after the first word";
const HALF = "half an event behind its reason to end";
const SENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries({ ...WHOLE, ...BROKEN }).map(([name, body]) => [name, stream(body)])),
  ...Object.fromEntries(
    Object.entries({ ...FAILURES, ...REFUSALS, ...NO_ANSWERS, ...NO_SOUNDS }).map(([name, [sent]]) => [name, sent]),
  ),
  [HALF]: stream(`${events(chunk("a"), chunk("b", "stop"))}data: {"id":"1","usa`),
  [MID]: stream(events(chunk("a"), failure("slow down", LIMIT))),
};

const { books, post, chat } = await startRaw(
  Object.fromEntries([
    ...Object.entries(SENT).map(([name, sent]) => [name, { provider: "openai", sent: Buffer.from(sent) }]),
    ...OVER_CHAT.map((name) => [`${name} over chat`, { provider: "groq", sent: Buffer.from(SENT[name] ?? "") }]),
  ]),
);
const framesOf = (text: string) => text.split("\n\n").filter((frame) => frame !== "");

describe("a stream with", () => {
  test.each(Object.keys(WHOLE))("%s is whole, and charged by its count", async (name) => {
    const text = await (await chat(name, true)).text();
    const frames = framesOf(text);
    expect(text).not.toContain('"error"');
    expect(frames).toHaveLength(3);
    expect(frames.at(-1)).toBe("data: [DONE]");
    expect(await books.last()).toMatchObject({ status: "succeeded", promptTokens: 10, completionTokens: 5 });
  });

  test.each(Object.keys(BROKEN))("%s has broken off, and says so", async (name) => {
    const text = await (await chat(name, true)).text();
    expect(framesOf(text).at(-1)).toContain('"upstream_error"');
    expect(await books.last()).toMatchObject({ status: "partial" });
  });

  test("half an event behind its reason to end is whole, and charged by our own count", async () => {
    const frames = framesOf(await (await chat(HALF, true)).text());
    expect(frames).toHaveLength(3);
    expect(frames.at(-1)).toBe("data: [DONE]");
    expect(await books.last()).toMatchObject({ status: "succeeded", estimated: true });
  });

  test("an error after the first word ends with what the error means", async () => {
    const frames = framesOf(await (await chat(MID, true)).text());
    expect(frames).toHaveLength(2);
    expect(frames[1]).toContain('"code":"rate_limit_exceeded"');
    expect(await books.last()).toMatchObject({ status: "partial" });
  });
});

describe("a failure with the status of success means what it would with its own, told by", () => {
  const cases = Object.entries(FAILURES).flatMap(([name, [sent]]) =>
    sent.includes("event-stream") ? [[name, true] as const] : [[name, true] as const, [name, false] as const],
  );
  test.each(cases)("%s (streamed: %p)", async (name, streamed) => {
    const [, status, code, words] = FAILURES[name] ?? ["", 0, "", ""];
    const response = await chat(name, streamed);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([status, code]);
    expect(error.message).toContain(words);
    expect(error.message).not.toContain("sk-1");
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
  });

  test.each([
    ["/v1/chat/completions", "nothing but [DONE]"],
    ["/v1/completions", "nothing but [DONE]"],
    ["/v1/completions", "nothing but [DONE] over chat"],
  ])("nothing at all of %s with %s, which another model then answers", async (path, name) => {
    const fields = { messages: [{ role: "user", content: "hi" }], prompt: "hi", fallbacks: ["no [DONE]"] };
    const response = await post(path, name, { ...fields, stream: true });
    expect(response.headers.get("x-gw-attempted-fallbacks")).toBe("1");
    expect(framesOf(await response.text())).toHaveLength(3);
  });

  test.each(["/v1/embeddings", "/v1/completions"])("a rate limit of %s", async (path) => {
    const response = await post(path, "a rate limit", { input: "hi", prompt: "hi" });
    expect(response.status).toBe(429);
    await response.text();
  });
});

describe("what is no answer", () => {
  const bodies = { messages: [{ role: "user", content: "hi" }], prompt: "hi", input: "hi" };
  const paths = ["chat/completions", "completions", "embeddings", "images/generations", "moderations"];
  test.each(paths.flatMap((path) => Object.keys(NO_ANSWERS).map((name) => [path, name] as const)))(
    "of %s with %s is a failure, and free",
    async (path, name) => {
      const [, status, words] = NO_ANSWERS[name] ?? ["", 0, ""];
      const response = await post(`/v1/${path}`, name, bodies);
      const { error } = (await response.json()) as { error: { message: string } };
      expect(response.status).toBe(status);
      expect(error.message).toContain(words);
      expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
    },
  );

  test.each(Object.keys(NO_SOUNDS))("of speech with %s is a failure, and free", async (name) => {
    const [, status, words] = NO_SOUNDS[name] ?? ["", 0, ""];
    const response = await post("/v1/audio/speech", name, { input: "hi", voice: "alloy" });
    const { error } = (await response.json()) as { error: { message: string } };
    expect(response.status).toBe(status);
    expect(error.message).toContain(words);
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
  });
});

describe("a text completion that is made of a chat", () => {
  test.each(["no [DONE]", "a space behind [DONE]"])("with %s is whole", async (name) => {
    const text = await (await post("/v1/completions", `${name} over chat`, { stream: true, prompt: "hi" })).text();
    expect(framesOf(text).at(-1)).toBe("data: [DONE]");
    expect(await books.last()).toMatchObject({ status: "succeeded", promptTokens: 10, completionTokens: 5 });
  });

  test("with no reason to end has broken off", async () => {
    const model = "no reason to end over chat";
    const text = await (await post("/v1/completions", model, { stream: true, prompt: "hi" })).text();
    expect(framesOf(text).at(-1)).toContain('"upstream_error"');
  });

  test.each([
    ["a rate limit", false],
    ["an event's name", true],
  ])("with a failure told by %s fails so (streamed: %p)", async (name, streamed) => {
    const response = await post("/v1/completions", `${name} over chat`, { stream: streamed, prompt: "hi" });
    expect(response.status).toBe(429);
    expect(await response.text()).toContain("slow down");
  });
});

describe("a refusal", () => {
  const cases = Object.keys(REFUSALS).flatMap((name) => [[name, true] as const, [name, false] as const]);
  test.each(cases)("%s is told with its status and words (streamed: %p)", async (name, streamed) => {
    const [, status, words] = REFUSALS[name] ?? ["", 0, ""];
    const response = await chat(name, streamed);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(response.status).toBe(status);
    expect(error.message).toContain(words);
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
  });
});
