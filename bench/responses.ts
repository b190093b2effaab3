/** Responses of the provider of the benchmarks, and the texts that a client must receive. */

export const CHUNKS = 200;
/** Between the pieces of a stream, by the words in a prompt that ask for it: so every gateway passes the wish on. */
export const PACES_MS = { "SLOW STREAM": 50, "BRISK STREAM": 5 } as const;
export const EMBEDDING_INPUTS = 256;
const EMBEDDING_SIZE = 1_536;

export const PLAIN_TEXT =
  "A gateway adds a little to every call; how little is what this response of some sixty tokens is for. It is long enough to " +
  "look like the beginning of a real one, short enough that reading it costs next to nothing, and always the same.";
const STREAMED_WORDS = Array.from({ length: CHUNKS }, (_, index) => ` word${index}`);
export const STREAMED_TEXT = STREAMED_WORDS.join("");

const USAGE = { prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 };
const STREAM_USAGE = { prompt_tokens: 40, completion_tokens: CHUNKS, total_tokens: 40 + CHUNKS };
const sse = (data: object, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

export function buildResponses() {
  const openAiFrames = openAiStream();
  return {
    models: JSON.stringify({
      object: "list",
      data: [{ id: "bench", object: "model", created: 1_700_000_000, owned_by: "bench" }],
    }),
    openAi: JSON.stringify({
      id: "chatcmpl-bench",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "bench",
      choices: [{ index: 0, message: { role: "assistant", content: PLAIN_TEXT }, finish_reason: "stop" }],
      usage: USAGE,
    }),
    openAiFrames,
    openAiStream: openAiFrames.join(""),
    embeddings: embeddings(),
    anthropic: JSON.stringify({
      id: "msg_bench",
      type: "message",
      role: "assistant",
      model: "bench",
      content: [{ type: "text", text: PLAIN_TEXT }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 40, output_tokens: 60 },
    }),
    anthropicStream: anthropicStream(),
    gemini: JSON.stringify({
      candidates: [{ content: { role: "model", parts: [{ text: PLAIN_TEXT }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 60, totalTokenCount: 100 },
      modelVersion: "bench",
      responseId: "bench",
    }),
    geminiStream: geminiStream(),
  };
}

function openAiStream(): string[] {
  const chunk = (choices: object[], more: object = {}) =>
    sse({
      id: "chatcmpl-bench",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "bench",
      choices,
      ...more,
    });
  const delta = (content: object, finish: string | null = null) =>
    chunk([{ index: 0, delta: content, finish_reason: finish }]);
  return [
    delta({ role: "assistant", content: "" }),
    ...STREAMED_WORDS.map((content) => delta({ content })),
    delta({}, "stop"),
    chunk([], { usage: STREAM_USAGE }),
    "data: [DONE]\n\n",
  ];
}

function anthropicStream(): string {
  const usage = { input_tokens: 40, output_tokens: 1 };
  const message = { id: "msg_bench", type: "message", role: "assistant", model: "bench", content: [], usage };
  const events: [string, object][] = [
    ["message_start", { message }],
    ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
    ...STREAMED_WORDS.map((text): [string, object] => [
      "content_block_delta",
      { index: 0, delta: { type: "text_delta", text } },
    ]),
    ["content_block_stop", { index: 0 }],
    ["message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: CHUNKS } }],
    ["message_stop", {}],
  ];
  return events.map(([type, data]) => sse({ type, ...data }, type)).join("");
}

function geminiStream(): string {
  const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: CHUNKS, totalTokenCount: 40 + CHUNKS };
  return STREAMED_WORDS.map((text, index) => {
    const last = index === CHUNKS - 1;
    const candidate = {
      content: { role: "model", parts: [{ text }] },
      index: 0,
      ...(last ? { finishReason: "STOP" } : {}),
    };
    return sse({
      candidates: [candidate],
      ...(last ? { usageMetadata } : {}),
      modelVersion: "bench",
      responseId: "bench",
    });
  }).join("");
}

/** Some three megabytes of numbers. */
function embeddings(): string {
  const vector = Array.from({ length: EMBEDDING_SIZE }, (_, index) => Number((Math.sin(index + 1) / 40).toFixed(5)));
  const data = Array.from({ length: EMBEDDING_INPUTS }, (_, index) => ({
    object: "embedding",
    index,
    embedding: vector,
  }));
  return JSON.stringify({ object: "list", data, model: "bench", usage: { prompt_tokens: 2_048, total_tokens: 2_048 } });
}
