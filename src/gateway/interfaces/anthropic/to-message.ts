import { isRecord, recordIn, textOf } from "../../../lib/json.ts";
import { callSignature, textSignature } from "../../../providers/gemini/signature.ts";
import { sealedItems } from "../../../providers/openai-responses/thoughts.ts";
import { itemsSignature, sealSignature } from "../../../providers/thought-seal.ts";
import type { Fields } from "../../call/gateway.ts";
import type { ResponseMetadata } from "../../call/response-metadata.ts";
import { recordsIn, wordsIn } from "../shared/read-chunk.ts";
import { messageUsage } from "./message-usage.ts";
import { type Asked, stopReason } from "./stop-reason.ts";

/** A chat's answer as a message of Anthropic's form. It is read as what it is: something that an upstream wrote. */
export function toMessage(answer: unknown, asked: Asked, estimate: ResponseMetadata["estimate"] = null): object {
  const { id, model, choices, usage } = isRecord(answer) ? answer : ({} as Fields);
  const [choice = {}] = recordsIn(choices);
  const said = isRecord(choice.message) ? choice.message : {};
  const content = Array.isArray(said.anthropic_content) ? said.anthropic_content : blocksOf(said, asked);
  const calls = content.some((block: unknown) => isRecord(block) && block.type === "tool_use");
  return {
    id: messageId(id),
    type: "message",
    role: "assistant",
    model: textOf(model) ?? "",
    content,
    ...stopReason(choice, calls, asked),
    usage: messageUsage(usage, estimate),
  };
}

export const messageId = (id: unknown): string => `msg_${(textOf(id) ?? "").replace(/^(?:chatcmpl-|msg_)/, "")}`;

function blocksOf(said: Fields, asked: Asked): Fields[] {
  const words = wordsIn(said.content) || (textOf(said.refusal) ?? "");
  const seal = asked.thinking && words !== "" ? textSignature(said) : null;
  const blocks = reasoningOf(said, asked);
  const items = asked.thinking ? sealedItems(said) : [];
  if (items.length > 0) sign(blocks, itemsSignature(items));
  if (seal !== null) sign(blocks, sealSignature({ of: "text", seal }));
  if (words !== "") blocks.push({ type: "text", text: words });
  for (const call of recordsIn(said.tool_calls)) {
    const callSeal = callSignature(call);
    if (callSeal !== null) sign(blocks, sealSignature({ of: "call", seal: callSeal }));
    blocks.push(toolUse(call));
  }
  return blocks;
}

/** What Google or OpenAI has sealed is told by the thought before it, or by one without words. */
function sign(blocks: Fields[], signature: string): void {
  const last = blocks.at(-1);
  const isFree = last?.type === "thinking" && last.signature === "";
  const thought = isFree ? last : { type: "thinking", thinking: "" };
  blocks.splice(isFree ? -1 : blocks.length, 1, { ...thought, signature });
}

function reasoningOf({ thinking_blocks: blocks, reasoning_content: words }: Fields, { thinking }: Asked): Fields[] {
  const signed = recordsIn(blocks);
  if (signed.length > 0) return signed;
  // The field is never missing in Anthropic's answers.
  return thinking && typeof words === "string" && words !== ""
    ? [{ type: "thinking", thinking: words, signature: "" }]
    : [];
}

function toolUse({ id, function: called }: Fields): Fields {
  const { name, arguments: written } = isRecord(called) ? called : ({} as Fields);
  return { type: "tool_use", id: textOf(id) ?? "", name: textOf(name) ?? "", input: inputOf(written) };
}

/** What a model wrote that is no JSON object is shown as Anthropic advises. */
function inputOf(text: unknown): Fields {
  const written = typeof text === "string" ? text : "";
  if (written.trim() === "") return {};
  return recordIn(written) ?? { INVALID_JSON: written };
}
