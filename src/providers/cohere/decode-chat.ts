import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts } from "../dialect.ts";
import { chatAnswer, readCalls } from "../openai-form/chat-answer.ts";
import { finishReason, logprobItem, malformed, REASONING_BREAK } from "./answer.ts";
import { findError } from "./failure.ts";
import { cohereUsage } from "./usage.ts";

export function decodeCohereChat(body: unknown, _request: ChatRequest, facts: AnswerFacts): ChatAnswer {
  const failure = isRecord(body) && findError(body);
  if (failure) throw failure;
  if (!isRecord(body) || !isRecord(body.message)) throw malformed("has no message");
  const { message } = body;
  const id = typeof body.id === "string" ? body.id : facts.id;
  const blocks = blocksOf(message.content);
  const text = blocks.map(({ text }) => text).join("");
  const plan = typeof message.tool_plan === "string" ? message.tool_plan : "";
  const reasoning = [...blocks.map(({ thinking }) => thinking), plan].filter((words) => words !== "");
  const calls = readCalls(message.tool_calls, id, 0, malformed);
  const citations = Array.isArray(message.citations) ? message.citations : [];
  return chatAnswer(id, facts, {
    text,
    reasoning: reasoning.join(REASONING_BREAK),
    calls,
    logprobs: Array.isArray(body.logprobs) ? body.logprobs.map(logprobItem).filter((item) => item !== null) : [],
    finish: finishReason(body.finish_reason, calls.length > 0, body.error),
    usage: cohereUsage(body.usage),
    // Cohere cites documents by id, not pages by address, which is all that OpenAI's annotations can say.
    ...(citations.length > 0 && { more: { provider_specific_fields: { citations } } }),
  });
}

interface Block {
  readonly text: string;
  readonly thinking: string;
}

/** Blocks of a type that is not known hold no text and are passed over. */
function blocksOf(content: unknown): readonly Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ text: content, thinking: "" }];
  if (!Array.isArray(content)) throw malformed("has content of an unknown form");
  return content.filter(isRecord).map((block) => ({
    text: typeof block.text === "string" ? block.text : "",
    thinking: typeof block.thinking === "string" ? block.thinking : "",
  }));
}
