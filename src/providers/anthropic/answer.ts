import type { ChatAnswer, ChatRequest, Message, ToolCall } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts } from "../dialect.ts";
import { isError, malformed, reportedError } from "./failure.ts";
import { finishReason } from "./finish-reason.ts";
import { JSON_TOOL, wantsJson } from "./json-answer.ts";
import { isInOwnForm, ownReason } from "./own-form.ts";
import { usesFunctions } from "./tools.ts";
import { toUsage } from "./usage.ts";

/** What the blocks of a message come to. */
interface Content {
  text: string;
  reasoning: string;
  readonly thinking: Record<string, unknown>[];
  readonly calls: ToolCall[];
  /** The text is an answer in JSON that a tool handed over. */
  isUnfolded: boolean;
}

export function decodeMessage(body: unknown, request: ChatRequest, facts: AnswerFacts): ChatAnswer {
  if (!isRecord(body)) throw malformed("is not an object");
  if (isError(body)) throw reportedError(body);
  if (!Array.isArray(body.content)) throw malformed("has no content");
  if (typeof body.stop_reason !== "string") throw malformed("does not say why it ended");
  const content = readBlocks(body.content, wantsJson(request));
  const asFunction = usesFunctions(request);
  const called = content.calls.length === 0 ? null : asFunction ? "function_call" : "tool_calls";
  const message: Writable<Message> = { role: "assistant", content: content.text === "" ? null : content.text };
  if (content.reasoning !== "") message.reasoning_content = content.reasoning;
  if (content.thinking.length > 0) message.thinking_blocks = content.thinking;
  if (called === "tool_calls") message.tool_calls = content.calls;
  // What a tool was made up for is no block of the answer's.
  if (isInOwnForm(request) && !content.isUnfolded) message.anthropic_content = body.content;
  if (called === "function_call") message.function_call = content.calls[0]?.function ?? null;
  const answer: Writable<ChatAnswer> = {
    id: typeof body.id === "string" && body.id !== "" ? body.id : facts.id,
    object: "chat.completion",
    created: facts.createdSeconds,
    model: facts.model,
    choices: [
      {
        index: 0,
        message,
        finish_reason: finishReason(body.stop_reason, called),
        ...(isInOwnForm(request) && ownReason(body)),
      },
    ],
  };
  if (isRecord(body.usage)) answer.usage = toUsage(body.usage);
  return answer;
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** Blocks of kinds that have no place in OpenAI's answer, such as those of server tools, are passed over. */
function readBlocks(blocks: readonly unknown[], unfoldsJson: boolean): Content {
  const content: Content = { text: "", reasoning: "", thinking: [], calls: [], isUnfolded: false };
  for (const block of blocks) {
    if (!isRecord(block)) throw malformed("has a content block that is not an object");
    if (block.type === "text") content.text += text(block.text, "text");
    if (block.type === "thinking") content.reasoning += text(block.thinking, "thinking");
    if (block.type === "thinking" || block.type === "redacted_thinking") content.thinking.push(thinkingBlock(block));
    if (block.type !== "tool_use") continue;
    if (unfoldsJson && block.name === JSON_TOOL) {
      content.text += inputText(block.input);
      content.isUnfolded = true;
    } else content.calls.push(toolCall(block));
  }
  return content;
}

const toolCall = (block: Readonly<Record<string, unknown>>): ToolCall => ({
  id: text(block.id, "tool call id"),
  type: "function",
  function: { name: text(block.name, "tool name"), arguments: inputText(block.input) },
});

/** What a caller has to bring back with the results of tools, and no more: Anthropic refuses fields that it did not write. */
export function thinkingBlock(block: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (block.type === "redacted_thinking") return { type: block.type, data: text(block.data, "redacted thinking") };
  const isSigned = typeof block.signature === "string" && block.signature !== "";
  return {
    type: "thinking",
    thinking: text(block.thinking, "thinking"),
    ...(isSigned && { signature: block.signature }),
  };
}

export function inputText(input: unknown): string {
  if (!isRecord(input)) throw malformed("has a tool call without an input");
  try {
    return JSON.stringify(input);
  } catch (cause) {
    throw malformed("has a tool call with an input that is not JSON", cause);
  }
}

export function text(value: unknown, what: string): string {
  if (typeof value !== "string") throw malformed(`has no ${what} where one belongs`);
  return value;
}
