import type { ChatAnswer, ChatDelta, FinishReason, Message, ToolCallDelta, Usage } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts } from "../dialect.ts";
import { tokenCount } from "../openai-form/token-count.ts";

type Fields = Readonly<Record<string, unknown>>;

const FINISH: ReadonlyMap<unknown, FinishReason> = new Map([
  ["length", "length"],
  ["model_length", "length"],
  ["tool_calls", "tool_calls"],
  ["content_filter", "content_filter"],
]);

/** Reasons that are not listed are a plain end. */
export const finishReason = (value: unknown): FinishReason => FINISH.get(value) ?? "stop";

/** Content whose parts are thoughts and text, as the two fields that we have for them. */
function splitContent(content: unknown): { text: string | null; thoughts: string } {
  if (!Array.isArray(content)) return { text: typeof content === "string" ? content : null, thoughts: "" };
  const thinking = content.filter((part) => isRecord(part) && part.type === "thinking");
  return { text: joinTexts(content), thoughts: thinking.map((part: Fields) => joinTexts(part.thinking)).join("") };
}

const joinTexts = (parts: unknown): string =>
  (Array.isArray(parts) ? parts : [])
    .map((part: unknown) => (isRecord(part) && part.type === "text" && typeof part.text === "string" ? part.text : ""))
    .join("");

/** A message or a delta in our form. */
export function tidyAnswer(given: Fields): ChatDelta {
  const { content, tool_calls: calls, ...rest } = given;
  const { text, thoughts } = splitContent(content);
  return {
    ...rest,
    ...("content" in given && { content: text }),
    ...(thoughts !== "" && { reasoning_content: thoughts }),
    ...(Array.isArray(calls) && { tool_calls: calls.filter(isRecord).map(tidyCall) }),
  };
}

/** Arguments may come as an object, which our clients expect as text. */
function tidyCall(call: Fields, position: number): ToolCallDelta {
  const given: Fields = isRecord(call.function) ? call.function : {};
  const text = typeof given.arguments === "string" ? given.arguments : JSON.stringify(given.arguments ?? {});
  return {
    index: typeof call.index === "number" ? call.index : position,
    ...(typeof call.id === "string" && { id: call.id }),
    type: "function",
    function: { ...(typeof given.name === "string" && { name: given.name }), arguments: text },
  };
}

export function pruneUsage(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt_tokens = tokenCount(usage.prompt_tokens);
  const completion_tokens = tokenCount(usage.completion_tokens);
  return { ...usage, prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** An answer whose content may be a list of thoughts and text. */
export function decodeThinkingAnswer(body: unknown, facts: AnswerFacts, title: string): ChatAnswer {
  if (!isRecord(body) || !Array.isArray(body.choices)) {
    throw new GatewayError("upstream", `${title}'s answer has no choices.`);
  }
  const choices = body.choices.map((choice: unknown, position) => {
    if (!isRecord(choice) || !isRecord(choice.message)) {
      throw new GatewayError("upstream", `${title}'s answer has a choice without a message.`);
    }
    const message = { content: null, ...tidyAnswer(choice.message), role: "assistant" } as Message;
    return { index: position, message, finish_reason: finishReason(choice.finish_reason) };
  });
  const usage = pruneUsage(body.usage);
  return {
    id: typeof body.id === "string" ? body.id : facts.id,
    object: "chat.completion",
    created: facts.createdSeconds,
    model: facts.model,
    choices,
    ...(usage && { usage }),
  };
}
