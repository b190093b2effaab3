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
import { awsEvent, events, json, namedEvents, type Raw, reply, unended } from "./raw-upstream.ts";

export const NAMES = Object.keys(DIALECTS);
const each = (make: (type: string, stream: string | Uint8Array, plain: object) => Uint8Array, of: string) =>
  Object.fromEntries(
    Object.entries(DIALECTS).map(([provider, all]) => [`${provider} ${of}`, { provider, sent: make(...all) }]),
  );

const indented = (body: object) => JSON.stringify(body, null, 2).replaceAll("\n", "\r\n");
const google = (code: number, message: string, details: object[] = []) => ({ error: { code, message, details } });
const RETRY_INFO = google(429, "quota", [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "38.5s" }]);
const FAILED_RESPONSE = { ...RESPONSE, status: "failed", error: { code: "rate_limit_exceeded", message: "slow" } };
export const CACHED = { read: 100, "5m": 400, "1h": 600 };
const anthropicCached = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: CACHED.read,
  cache_creation_input_tokens: CACHED["5m"] + CACHED["1h"],
  cache_creation: { ephemeral_5m_input_tokens: CACHED["5m"], ephemeral_1h_input_tokens: CACHED["1h"] },
};

/** An answer whose every word came, and what follows it is damaged. */
export const SAID: Readonly<Record<string, Raw>> = {
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

export const TOO_LONG: Readonly<Record<string, Raw>> = Object.fromEntries(
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
export const FAILURES: Readonly<Record<string, readonly [Raw, streamed: boolean, status: number, words: string]>> = {
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
export const UNCOUNTED: Readonly<Record<string, readonly [Raw, prompt: number | null, answer?: number]>> = {
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

/** What upstreams of each dialect were seen to send beside what their interface has. */
export const WILD_ANSWERS: Record<string, Raw> = {
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
