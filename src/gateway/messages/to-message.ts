import type { ChatAnswer, Message, ToolCall } from "../../contract/chat.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import type { Fields } from "../deps.ts";
import { messageUsage } from "./message-usage.ts";
import { type Asked, stopReason } from "./stop-reason.ts";

/** A chat's answer as a message of Anthropic's form. */
export function toMessage(answer: ChatAnswer, asked: Asked): object {
  const [choice] = answer.choices;
  const said = choice?.message;
  const content = Array.isArray(said?.anthropic_content) ? said.anthropic_content : said ? blocksOf(said, asked) : [];
  const calls = content.some((block: unknown) => isRecord(block) && block.type === "tool_use");
  return {
    id: messageId(answer.id),
    type: "message",
    role: "assistant",
    model: answer.model,
    content,
    ...stopReason(choice ?? {}, calls, asked),
    usage: messageUsage(answer.usage),
  };
}

export const messageId = (id: unknown): string => `msg_${String(id ?? "").replace(/^(?:chatcmpl-|msg_)/, "")}`;

function blocksOf(said: Message & { readonly refusal?: string | null }, asked: Asked): Fields[] {
  const words = textOf(said.content) || (said.refusal ?? "");
  return [
    ...thoughtsOf(said, asked),
    ...(words === "" ? [] : [{ type: "text", text: words }]),
    ...(said.tool_calls ?? []).map(toolUse),
  ];
}

function thoughtsOf({ thinking_blocks: blocks, reasoning_content: words }: Message, { thinking }: Asked): Fields[] {
  if (Array.isArray(blocks) && blocks.length > 0) return blocks.filter(isRecord);
  return thinking && typeof words === "string" && words !== "" ? [unsigned(words)] : [];
}

/** The field is never missing in Anthropic's answers. */
const unsigned = (thinking: string): Fields => ({ type: "thinking", thinking, signature: "" });

function textOf(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

const toolUse = ({ id, function: called }: ToolCall): Fields => ({
  type: "tool_use",
  id,
  name: called?.name,
  input: inputOf(called?.arguments),
});

/** What a model wrote that is no JSON object is shown as Anthropic advises. */
function inputOf(text: unknown): Fields {
  const written = typeof text === "string" ? text : "";
  if (written.trim() === "") return {};
  return recordIn(written) ?? { INVALID_JSON: written };
}
