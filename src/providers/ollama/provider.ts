import type { Operation } from "../../contract/params.ts";
import type { Provider } from "../dialect.ts";
import { decodeOllamaChat } from "./decode-chat.ts";
import { ollamaEmbedding } from "./embedding.ts";
import { encodeOllamaChat } from "./encode-chat.ts";
import { classifyOllama } from "./failure.ts";
import { OllamaStream } from "./stream.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** `user` is listed because the gateway books it; Ollama has no place for it. */
const SUPPORTED: Partial<Readonly<Record<Operation, readonly string[]>>> = {
  chat: words(`
    frequency_penalty function_call functions logprobs max_completion_tokens max_tokens presence_penalty reasoning_effort
    response_format seed stop stream stream_options temperature tool_choice tools top_logprobs top_p user`),
  completion: words(`
    frequency_penalty max_tokens presence_penalty seed stop stream stream_options temperature top_p user`),
  embedding: words("dimensions encoding_format user"),
};

/** Ollama's own interface: unlike its OpenAI-like one it takes every option of the server and gives the thinking apart. */
export const ollama: Provider = {
  id: "ollama",
  title: "Ollama",
  chat: {
    encode: encodeOllamaChat,
    decode: decodeOllamaChat,
    stream: { framing: "ndjson", decoder: (_request, facts) => new OllamaStream(facts) },
    inlineMedia: true,
  },
  embedding: ollamaEmbedding,
  chatApi: () => "ollama",
  supportedParams: (operation) => SUPPORTED[operation] ?? [],
  classify: classifyOllama,
};
