import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import type { AnswerFacts } from "../dialect.ts";
import { broken, readGenerated } from "./candidate.ts";
import { Choice, callStyle } from "./choice.ts";
import { OWN_REASON } from "./own-form.ts";
import { usageOf } from "./usage.ts";

/** An answer of `generateContent` in OpenAI's form. */
export function decodeAnswer(body: unknown, request: ChatRequest, facts: AnswerFacts, title: string): ChatAnswer {
  const { candidates, usage } = readGenerated(body, title);
  if (candidates.length === 0) throw broken(title, "has no candidates");
  const style = callStyle(request);
  const choices = candidates.map((candidate) => {
    const choice = new Choice(candidate.index, facts, style);
    choice.add(candidate);
    const isOnly = candidates.length === 1;
    const finish_reason = choice.finish(candidate.finishReason ?? "STOP", candidate.finishMessage, title, isOnly);
    const { logprobs } = candidate;
    return {
      index: candidate.index,
      message: choice.message,
      finish_reason,
      ...(style.own && { [OWN_REASON]: candidate.finishReason ?? "STOP" }),
      ...(logprobs === null ? {} : { logprobs }),
    };
  });
  return {
    id: facts.id,
    object: "chat.completion",
    created: facts.createdSeconds,
    model: facts.model,
    choices,
    ...(usage === null ? {} : { usage: usageOf(usage) }),
  };
}
