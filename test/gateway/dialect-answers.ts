import { awsEvent, events, namedEvents } from "./raw-upstream.ts";

export const SSE = "text/event-stream";
export const AWS = "application/vnd.amazon.eventstream";
export const HTTP_OK = "200 OK";
export const anthropicStart = (usage: object) => ({
  type: "message_start",
  message: { id: "msg_1", role: "assistant", usage },
});
export const anthropicText = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
  { type: "content_block_stop", index: 0 },
];
export const anthropicEnd = (usage: object | null) => [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, ...(usage && { usage }) },
  { type: "message_stop" },
];
export const anthropicError = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
export const BEGUN = anthropicStart({ input_tokens: 10, output_tokens: 1 });
export const anthropicPlain = (more: object) => ({
  id: "msg_1",
  type: "message",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 5 },
  ...more,
});

export const gemini = (text: string, finishReason?: string, usageMetadata?: object) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, finishReason }],
  usageMetadata,
});
export const GEMINI_COUNT = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const GEMINI = events(gemini("Hel"), gemini("lo", "STOP", GEMINI_COUNT));

export const bedrockText = [
  awsEvent("messageStart", { role: "assistant" }),
  awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hello" } }),
  awsEvent("contentBlockStop", { contentBlockIndex: 0 }),
  awsEvent("messageStop", { stopReason: "end_turn" }),
];
export const bedrockCount = awsEvent("metadata", { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } });
export const bedrockPlain = (more: object) => ({
  output: { message: { role: "assistant", content: [{ text: "Hello" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 10, outputTokens: 5, ...more },
});

const COHERE_COUNT = { tokens: { input_tokens: 10, output_tokens: 5 } };
export const COHERE = namedEvents(
  { type: "message-start", id: "c1", delta: { message: { role: "assistant" } } },
  { type: "content-delta", index: 0, delta: { message: { content: { text: "Hello" } } } },
  { type: "message-end", delta: { finish_reason: "COMPLETE", usage: COHERE_COUNT } },
);

const OLLAMA_END = { done: true, done_reason: "stop", prompt_eval_count: 10, eval_count: 5 };
export const ollama = (content: string, more: object = { done: false }) =>
  `${JSON.stringify({ model: "x", message: { role: "assistant", content }, ...more })}\n`;

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const OPENAI = events(
  { id: "1", model: "x", choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: null }] },
  { id: "1", model: "x", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { id: "1", model: "x", choices: [], usage: USAGE },
);
export const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
export const openaiPlain = (message: object, finish_reason: string | null, more: object = {}) => ({
  id: "1",
  object: "chat.completion",
  model: "x",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason, ...more }],
  usage: USAGE,
});
export const HELLO = openaiPlain({ content: "Hello" }, "stop");

export const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  error: null,
  output: [
    {
      type: "message",
      id: "m",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hello" }],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
};
export const BEGUN_RESPONSE = {
  type: "response.created",
  response: { id: "resp_1", status: "in_progress", output: [] },
};
const textDelta = (delta: string) => ({ type: "response.output_text.delta", item_id: "m", output_index: 0, delta });
const RESPONSES = namedEvents(
  BEGUN_RESPONSE,
  { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m", content: [] } },
  textDelta("Hel"),
  textDelta("lo"),
  { type: "response.completed", response: RESPONSE },
);

/** Each dialect's `Hello`: the type and the body of its stream, and the same in one piece. */
export const DIALECTS: Readonly<Record<string, readonly [type: string, stream: string | Uint8Array, plain: object]>> = {
  anthropic: [SSE, namedEvents(BEGUN, ...anthropicText, ...anthropicEnd({ output_tokens: 5 })), anthropicPlain({})],
  gemini: [SSE, GEMINI, gemini("Hello", "STOP", GEMINI_COUNT)],
  vertex_ai: [SSE, GEMINI, gemini("Hello", "STOP", GEMINI_COUNT)],
  bedrock: [AWS, Buffer.concat([...bedrockText, bedrockCount]), bedrockPlain({})],
  cohere: [SSE, COHERE, { message: { content: "Hello" }, finish_reason: "COMPLETE", usage: COHERE_COUNT }],
  ollama: [
    "application/x-ndjson",
    ollama("Hel") + ollama("lo") + ollama("", OLLAMA_END),
    { message: { content: "Hello" }, ...OLLAMA_END },
  ],
  "openai/responses": [SSE, RESPONSES, RESPONSE],
  azure: [SSE, OPENAI, HELLO],
  openai: [SSE, OPENAI, HELLO],
};
