import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import type { AnswerFacts } from "../dialect.ts";
import { chatAnswer } from "../openai-form/chat-answer.ts";
import { finishReason, malformed, readLine } from "./answer.ts";

export function decodeOllamaChat(body: unknown, _request: ChatRequest, facts: AnswerFacts): ChatAnswer {
  const { text, thinking, calls, logprobs, isDone, doneReason, usage } = readLine(body, facts.id, 0);
  if (!isDone) throw malformed("is not finished");
  const finish = finishReason(doneReason, calls.length > 0);
  return chatAnswer(facts.id, facts, { text, reasoning: thinking, calls, logprobs, finish, usage });
}
