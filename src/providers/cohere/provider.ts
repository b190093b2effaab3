import type { Operation } from "../../contract/params.ts";
import type { Provider } from "../dialect.ts";
import { decodeCohereChat } from "./decode-chat.ts";
import { cohereEmbedding } from "./embedding.ts";
import { encodeCohereChat } from "./encode-chat.ts";
import { classifyCohere } from "./failure.ts";
import { cohereRerank } from "./rerank.ts";
import { CohereStream } from "./stream.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** `user` is listed because the gateway books it; Cohere has no place for it. */
const SUPPORTED: Partial<Readonly<Record<Operation, readonly string[]>>> = {
  chat: words(`
    frequency_penalty function_call functions logprobs max_completion_tokens max_tokens presence_penalty reasoning_effort
    response_format seed stop stream stream_options temperature tool_choice tools top_p user`),
  completion: words(`
    frequency_penalty max_tokens presence_penalty seed stop stream stream_options temperature top_p user`),
  embedding: words("dimensions encoding_format user"),
  rerank: words("top_n rank_fields return_documents max_tokens_per_doc"),
};

/** Version 2 of Cohere's interface: chat, embeddings and reranking. */
export const cohere: Provider = {
  id: "cohere",
  title: "Cohere",
  chat: {
    encode: encodeCohereChat,
    decode: decodeCohereChat,
    stream: { framing: "sse", decoder: (_request, facts) => new CohereStream(facts) },
  },
  embedding: cohereEmbedding,
  rerank: cohereRerank,
  chatApi: () => "cohere",
  supportedParams: (operation) => SUPPORTED[operation] ?? [],
  classify: classifyCohere,
};
