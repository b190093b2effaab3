import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import type { AnswerFacts } from "../dialect.ts";
import { finishReason, malformed, readLine } from "./answer.ts";

export function decodeOllamaChat(body: unknown, _request: ChatRequest, facts: AnswerFacts): ChatAnswer {
  const { text, thinking, calls, logprobs, isDone, doneReason, usage } = readLine(body, facts.id, 0);
  if (!isDone) throw malformed("is not finished");
  return {
    id: facts.id,
    object: "chat.completion",
    created: facts.createdSeconds,
    model: facts.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(thinking === "" ? {} : { reasoning_content: thinking }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: finishReason(doneReason, calls.length > 0),
        ...(logprobs.length === 0 ? {} : { logprobs: { content: logprobs, refusal: null } }),
      },
    ],
    usage,
  };
}
