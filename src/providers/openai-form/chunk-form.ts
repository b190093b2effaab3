import type { ChatChunk, ChatDelta, FinishReason, Usage } from "../../contract/chat.ts";
import type { AnswerFacts } from "../dialect.ts";

/** Chunks of one answer with one choice: the same id, time and model in all of them. */
export interface ChunkForm {
  delta(delta: ChatDelta, logprobs?: unknown): ChatChunk;
  finish(reason: FinishReason): ChatChunk;
  usage(usage: Usage): ChatChunk;
}

export function chunkForm(id: string, { createdSeconds, model }: AnswerFacts): ChunkForm {
  const head = { id, object: "chat.completion.chunk", created: createdSeconds, model } as const;
  return {
    delta: (delta, logprobs) => ({
      ...head,
      choices: [{ index: 0, delta, finish_reason: null, ...(logprobs === undefined ? {} : { logprobs }) }],
    }),
    finish: (finish_reason) => ({ ...head, choices: [{ index: 0, delta: {}, finish_reason }] }),
    usage: (usage) => ({ ...head, choices: [], usage }),
  };
}
