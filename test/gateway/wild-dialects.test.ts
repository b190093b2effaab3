import { describe, expect, test } from "bun:test";
import {
  AWS,
  anthropicEnd,
  anthropicError,
  anthropicPlain,
  anthropicStart,
  anthropicText,
  BEGUN,
  BEGUN_RESPONSE,
  bedrockCount,
  bedrockPlain,
  bedrockText,
  CALL,
  COHERE,
  DIALECTS,
  GEMINI_COUNT,
  gemini,
  HELLO,
  HTTP_OK,
  openaiPlain,
  RESPONSE,
  SSE,
  USAGE,
} from "./dialect-answers.ts";
import { awsEvent, events, json, namedEvents, type Raw, reply, startRaw, unended } from "./raw-upstream.ts";

/** What upstreams of each dialect were seen to send beside what their interface has. */
const NAMES = Object.keys(DIALECTS);
const each = (make: (type: string, stream: string | Uint8Array, plain: object) => Uint8Array, of: string) =>
  Object.fromEntries(
    Object.entries(DIALECTS).map(([provider, all]) => [`${provider} ${of}`, { provider, sent: make(...all) }]),
  );

const indented = (body: object) => JSON.stringify(body, null, 2).replaceAll("\n", "\r\n");
const google = (code: number, message: string, details: object[] = []) => ({ error: { code, message, details } });
const RETRY_INFO = google(429, "quota", [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "38.5s" }]);
const FAILED_RESPONSE = { ...RESPONSE, status: "failed", error: { code: "rate_limit_exceeded", message: "slow" } };
const CACHED = { read: 100, "5m": 400, "1h": 600 };
const anthropicCached = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: CACHED.read,
  cache_creation_input_tokens: CACHED["5m"] + CACHED["1h"],
  cache_creation: { ephemeral_5m_input_tokens: CACHED["5m"], ephemeral_1h_input_tokens: CACHED["1h"] },
};

/** An answer whose every word came, and what follows it is damaged. */
const SAID: Readonly<Record<string, Raw>> = {
  "half a count of gemini": {
    provider: "gemini",
    sent: reply(HTTP_OK, SSE, `${events(gemini("Hello", "STOP"))}data: {"us`),
  },
  "half a count of bedrock": {
    provider: "bedrock",
    sent: reply(HTTP_OK, AWS, Buffer.concat([...bedrockText, bedrockCount.subarray(0, 30)])),
  },
  "an exception of bedrock": {
    provider: "bedrock",
    sent: reply(HTTP_OK, AWS, Buffer.concat([...bedrockText, awsEvent("internalServerException", { message: "x" })])),
  },
};

const TOO_LONG: Readonly<Record<string, Raw>> = Object.fromEntries(
  (
    [
      ["anthropic", "400 No", { error: { type: "invalid_request_error", message: "prompt is too long: 3 > 2" } }, ""],
      [
        "gemini",
        "400 No",
        google(400, "The input token count (3) exceeds the maximum number of tokens allowed (2)."),
        "",
      ],
      ["vertex_ai", "400 No", [google(400, "the input token count is 3 but model only supports up to 2.")], ""],
      [
        "bedrock",
        "400 No",
        { message: "Input is too long for requested model." },
        "x-amzn-errortype: ValidationException\r\n",
      ],
      ["cohere", "400 No", { message: "too many tokens: total number of tokens in the prompt cannot exceed 2" }, ""],
      ["ollama", "500 No", { error: "the input length exceeds the context length" }, ""],
      [
        "openai/responses",
        "400 No",
        { error: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." } },
        "",
      ],
      ["azure", "400 No", { error: { code: "context_length_exceeded", message: "maximum context length is 2" } }, ""],
    ] as const
  ).map(([provider, status, body, more]) => [
    `too long for ${provider}`,
    { provider, sent: reply(status, "application/json", JSON.stringify(body), more) },
  ]),
);

/** Failures with the status of success, of which only some say so as the interface has it. */
const FAILURES: Readonly<Record<string, readonly [Raw, streamed: boolean, status: number, words: string]>> = {
  "an event's name": [
    {
      provider: "anthropic",
      sent: reply(HTTP_OK, SSE, 'event: error\ndata: {"type":"overloaded_error","message":"full"}\n\n'),
    },
    true,
    503,
    "full",
  ],
  "an error without a type": [
    { provider: "anthropic", sent: json({ error: anthropicError.error }) },
    false,
    503,
    "Over",
  ],
  "an error behind the beginning": [
    { provider: "anthropic", sent: reply(HTTP_OK, SSE, namedEvents(BEGUN, { type: "ping" }, anthropicError)) },
    true,
    503,
    "Overloaded",
  ],
  "an exception behind the beginning": [
    {
      provider: "bedrock",
      sent: reply(
        HTTP_OK,
        AWS,
        Buffer.concat([bedrockText[0] as Uint8Array, awsEvent("throttlingException", { message: "slow" })]),
      ),
    },
    true,
    429,
    "slow",
  ],
  "words behind the beginning": [
    {
      provider: "cohere",
      sent: reply(HTTP_OK, SSE, `${COHERE.slice(0, COHERE.indexOf("event: content"))}${events({ message: "lost" })}`),
    },
    true,
    502,
    "lost",
  ],
  "an exception for an answer": [
    { provider: "bedrock", sent: json({ __type: "x#ThrottlingException", message: "slow" }) },
    false,
    429,
    "slow",
  ],
  "words for an answer": [{ provider: "cohere", sent: json({ message: "lost" }) }, false, 502, "lost"],
  "an error of cohere's with a number": [
    { provider: "cohere", sent: json({ error: { message: "busy", code: 503 } }) },
    false,
    503,
    "busy",
  ],
  "an object of ollama's": [
    { provider: "ollama", sent: json({ error: { message: "busy", code: 503 } }) },
    true,
    503,
    "busy",
  ],
  "a response that failed": [{ provider: "openai/responses", sent: json(FAILED_RESPONSE) }, false, 429, "slow"],
  "a response that fails behind its beginning": [
    {
      provider: "openai/responses",
      sent: reply(HTTP_OK, SSE, namedEvents(BEGUN_RESPONSE, { type: "response.failed", response: FAILED_RESPONSE })),
    },
    true,
    429,
    "slow",
  ],
  "an error of a response": [
    {
      provider: "openai/responses",
      sent: reply(
        HTTP_OK,
        SSE,
        namedEvents(BEGUN_RESPONSE, { type: "error", code: "server_error", message: "lost", param: null }),
      ),
    },
    true,
    502,
    "lost",
  ],
  "a call that cannot be read": [
    {
      provider: "gemini",
      sent: reply(HTTP_OK, SSE, events({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] })),
    },
    true,
    502,
    "MALFORMED_FUNCTION_CALL",
  ],
};

/** Answers that are not, or not rightly, counted: charged by what was told, and by our own count of the rest. */
const UNCOUNTED: Readonly<Record<string, readonly [Raw, prompt: number | null, answer?: number]>> = {
  "no count at the end": [
    { provider: "anthropic", sent: reply(HTTP_OK, SSE, namedEvents(BEGUN, ...anthropicText, ...anthropicEnd(null))) },
    10,
  ],
  "a prompt of too many tokens": [
    { provider: "anthropic", sent: json(anthropicPlain({ usage: { input_tokens: 1e30, output_tokens: 500 } })) },
    null,
    500,
  ],
  "a prompt of less than nothing": [{ provider: "bedrock", sent: json(bedrockPlain({ inputTokens: -5 })) }, null],
  "a response without a count": [{ provider: "openai/responses", sent: json({ ...RESPONSE, usage: null }) }, null],
  "a response of too many tokens": [
    {
      provider: "openai/responses",
      sent: json({ ...RESPONSE, usage: { input_tokens: 1e30, output_tokens: 500, total_tokens: 1e30 } }),
    },
    null,
    500,
  ],
  "an answer of less than nothing": [
    {
      provider: "gemini",
      sent: reply(HTTP_OK, SSE, events(gemini("Hello", "STOP", { ...GEMINI_COUNT, candidatesTokenCount: -5 }))),
    },
    10,
  ],
};

const raws: Record<string, Raw> = {
  ...each((_type, _stream, plain) => json(plain), "in one piece"),
  ...each((_type, _stream, plain) => reply(HTTP_OK, SSE, `\r\n\ufeff${indented(plain)}`.trimStart()), "indented"),
  ...each((type, stream) => unended(type, stream), "left open"),
  ...each((type, stream) => reply(HTTP_OK, type, stream), "broken"),
  "a list": { provider: "gemini", sent: json([gemini("Hel"), gemini("lo", "STOP", GEMINI_COUNT)]) },
  "calls in one piece": {
    provider: "openai",
    sent: json(openaiPlain({ content: null, tool_calls: [CALL, CALL] }, null)),
  },
  "a text in one piece": {
    provider: "openai",
    sent: json({
      id: "1",
      object: "text_completion",
      model: "x",
      choices: [{ text: "Hello", index: 0, finish_reason: "stop" }],
      usage: USAGE,
    }),
  },
  "a text over chat in one piece": { provider: "groq", sent: json(HELLO) },
  "cached by anthropic": { provider: "anthropic", sent: json(anthropicPlain({ usage: anthropicCached })) },
  "cached by anthropic, streamed": {
    provider: "anthropic",
    sent: reply(
      HTTP_OK,
      SSE,
      namedEvents(anthropicStart(anthropicCached), ...anthropicText, ...anthropicEnd({ output_tokens: 5 })),
    ),
  },
  "cached by bedrock": {
    provider: "bedrock",
    sent: json(
      bedrockPlain({
        cacheReadInputTokens: CACHED.read,
        cacheWriteInputTokens: CACHED["5m"] + CACHED["1h"],
        cacheDetails: [
          { ttl: "1h", inputTokens: CACHED["1h"] },
          { ttl: "5m", inputTokens: CACHED["5m"] },
        ],
      }),
    ),
  },
  "a delay of google's": {
    provider: "gemini",
    sent: reply("429 Slow", "application/json", JSON.stringify(RETRY_INFO)),
  },
  "a delay of google's in a stream": { provider: "gemini", sent: reply(HTTP_OK, SSE, events(RETRY_INFO)) },
  fine: { provider: "openai", sent: json(HELLO) },
  ...SAID,
  ...TOO_LONG,
  ...Object.fromEntries(Object.entries({ ...FAILURES, ...UNCOUNTED }).map(([name, [raw]]) => [name, raw])),
};
const { books, chat, post } = await startRaw(raws, {
  stream_timeout: 8,
  context_window_fallbacks: Object.keys(TOO_LONG).map((name) => ({ [name]: ["fine"] })),
});

interface Frame {
  readonly choices: readonly { readonly delta?: { readonly content?: string; readonly tool_calls?: unknown } }[];
  readonly usage?: unknown;
}
const framesOf = (text: string): string[] => text.split("\n\n").filter((frame) => frame !== "");
const parsed = (text: string): Frame[] =>
  framesOf(text)
    .slice(0, -1)
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Frame);
const saidIn = (frames: readonly Frame[]): string =>
  frames.flatMap(({ choices }) => choices.map(({ delta }) => delta?.content ?? "")).join("");
const COUNTED = { status: "succeeded", promptTokens: 10, completionTokens: 5, estimated: false };
const WITH_USAGE = { stream_options: { include_usage: true } };

describe("an answer in one piece where a stream was asked for", () => {
  const cases = [...NAMES.map((name) => `${name} in one piece`), ...NAMES.map((name) => `${name} indented`), "a list"];
  // Of lines that are JSON each, an indented answer is many that are none.
  test.each(cases.filter((name) => name !== "ollama indented"))(
    "%s is streamed, and charged by its count",
    async (name) => {
      const text = await (await chat(name, true, WITH_USAGE)).text();
      const frames = parsed(text);
      expect(framesOf(text).at(-1)).toBe("data: [DONE]");
      expect(frames[0]?.choices[0]?.delta).toMatchObject({ role: "assistant" });
      expect(saidIn(frames)).toBe("Hello");
      expect(frames.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
      expect(frames.at(-1)).toMatchObject({ model: name, choices: [], usage: USAGE });
      expect(await books.last()).toMatchObject(COUNTED);
    },
  );

  test("the count goes out only where it was asked for", async () => {
    const frames = parsed(await (await chat("openai in one piece", true)).text());
    expect(frames.some((frame) => frame.usage)).toBe(false);
    expect(await books.last()).toMatchObject(COUNTED);
  });

  test("calls are numbered, and end the answer as such", async () => {
    const frames = parsed(await (await chat("calls in one piece", true)).text());
    const [call, other] = [
      { index: 0, ...CALL },
      { index: 1, ...CALL },
    ];
    expect(frames[1]?.choices[0]?.delta?.tool_calls).toEqual([
      expect.objectContaining(call),
      expect.objectContaining(other),
    ]);
    expect(frames[2]?.choices[0]).toMatchObject({ finish_reason: "tool_calls" });
  });

  test.each(["a text in one piece", "a text over chat in one piece"])("%s is streamed as one", async (name) => {
    const text = await (await post("/v1/completions", name, { stream: true, prompt: "hi" })).text();
    expect(text).toContain('"text":"Hello"');
    expect(framesOf(text).at(-1)).toBe("data: [DONE]");
    expect(await books.last()).toMatchObject(COUNTED);
  });
});

test("an answer that is whole is not waited for until a time limit where its connection stays open", async () => {
  const texts = await Promise.all(NAMES.map(async (name) => (await chat(`${name} left open`, true)).text()));
  await books.last();
  for (const text of texts) expect(framesOf(text).at(-1)).toBe("data: [DONE]");
  for (const { record } of books.ended.slice(-NAMES.length)) expect(record).toMatchObject(COUNTED);
});

describe("a stream that breaks", () => {
  test.each(NAMES)(
    "of %s, wherever it does, is whole or says that it is not",
    async (provider) => {
      const name = `${provider} broken`;
      const whole = raws[name]?.sent ?? new Uint8Array();
      for (let at = 1; at < whole.length; at += 29) {
        raws[name] = { provider, sent: whole.subarray(0, at), cut: true };
        const response = await chat(name, true);
        const text = await response.text();
        const isWhole = framesOf(text).at(-1) === "data: [DONE]";
        const { status } = await books.last();
        if (isWhole) expect([saidIn(parsed(text)), status]).toEqual(["Hello", "succeeded"]);
        else expect([text.includes('"error"'), status]).toEqual([true, response.ok ? "partial" : "failed"]);
      }
    },
    60_000,
  );

  test.each(Object.keys(SAID))("behind all that was to be said, with %s, is whole", async (name) => {
    const text = await (await chat(name, true)).text();
    expect(framesOf(text).at(-1)).toBe("data: [DONE]");
    expect(await books.last()).toMatchObject({ status: "succeeded", estimated: true });
  });
});

describe("a failure with the status of success", () => {
  test.each(Object.keys(FAILURES))("told by %s means what it would with its own, and is free", async (name) => {
    const [, streamed, status, words] = FAILURES[name] ?? [null, false, 0, ""];
    const response = await chat(name, streamed);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(words);
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
  });
});

test.each(Object.keys(TOO_LONG).flatMap((name) => [[name, true] as const, [name, false] as const]))(
  "a prompt that is %s goes to a longer window (streamed: %p)",
  async (name, streamed) => {
    expect(await (await chat(name, streamed)).text()).toContain('"content":"Hello"');
    expect(await books.last()).toMatchObject(COUNTED);
  },
);

test.each(["a delay of google's", "a delay of google's in a stream"])("%s is told in a header", async (name) => {
  const response = await chat(name, name.endsWith("stream"));
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "39"]);
  await response.text();
});

test.each(["cached by anthropic", "cached by anthropic, streamed", "cached by bedrock"])(
  "a prompt %s is charged by what was read, and written for how long",
  async (name) => {
    await (await chat(name, name.endsWith("streamed"))).text();
    const cost = 10_000n + 10_000n + 500_000n + 1_200_000n + 10_000n;
    expect(await books.last()).toMatchObject({ promptTokens: 1110, cachedTokens: 100, cacheWriteTokens: 1000, cost });
  },
);

test.each(Object.keys(UNCOUNTED))(
  "an answer with %s is charged by what was told, and our own count of the rest",
  async (name) => {
    const [raw, prompt, answer] = UNCOUNTED[name] ?? [];
    await (await chat(name, Buffer.from(raw?.sent ?? []).includes(SSE))).text();
    const { estimated, promptTokens, completionTokens } = await books.last();
    expect(estimated).toBe(true);
    if (prompt) expect(promptTokens).toBe(prompt);
    expect(promptTokens > 0 && promptTokens < 100).toBe(true);
    if (answer) expect(completionTokens).toBe(answer);
    else expect(completionTokens > 0 && completionTokens < 100).toBe(true);
  },
);
