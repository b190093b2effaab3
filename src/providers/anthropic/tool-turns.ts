import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { argumentsObject } from "../openai-form/call-arguments.ts";
import type { Block } from "./block.ts";
import { refused } from "./media.ts";
import { contentBlocks } from "./parts.ts";

/** The calls of an assistant message; `functionId` names the one of the older interface, which has no id. */
export function toolUseBlocks(message: Message, functionId: string): Block[] {
  const calls: readonly unknown[] = message.tool_calls ?? [];
  const blocks = calls.map((call): Block => {
    const called = isRecord(call) && isRecord(call.function) ? call.function : null;
    if (!isRecord(call) || called === null) throw refused("Anthropic takes only tool calls of type function.");
    return toolUse(call.id, called);
  });
  return isRecord(message.function_call) ? [...blocks, toolUse(functionId, message.function_call)] : blocks;
}

function toolUse(id: unknown, called: Readonly<Record<string, unknown>>): Block {
  if (typeof called.name !== "string") throw refused("A tool call has no function name.");
  return { type: "tool_use", id: toolUseId(id), name: called.name, input: argumentsObject(called.arguments) };
}

export function toolResultBlock(message: Message, id: unknown): Block {
  const blocks = contentBlocks(message.content);
  const cacheControl = [message.cache_control, ...blocks.map((block) => block.cache_control)].findLast(isRecord);
  return {
    type: "tool_result",
    tool_use_id: toolUseId(id),
    ...(blocks.length > 0 && { content: blocks.map(withoutCacheControl) }),
    ...(message.is_error === true && { is_error: true }),
    ...(cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

/** A breakpoint counts on the result, not on what is inside it. */
function withoutCacheControl({ cache_control: _, ...block }: Block): Block {
  return block as Block;
}

/** Ids of other providers may have characters that Anthropic refuses; a call and its result change alike. */
function toolUseId(id: unknown): string {
  if (typeof id !== "string" || id === "") throw refused("A tool call or tool result has no id.");
  return id.replace(/[^a-zA-Z0-9_-]/g, "_");
}
