import type { ContentPart, Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { Block } from "./block.ts";
import { fileBlock, pictureBlock, refused } from "./media.ts";

/** Blocks that callers may write in Anthropic's own form; they pass as they are. */
const NATIVE: ReadonlySet<string> = new Set(["image", "document", "search_result"]);

/** The content of a message as blocks. Empty text is left out: Anthropic refuses a block without any. */
export function contentBlocks(content: Message["content"]): Block[] {
  if (typeof content === "string") return textBlocks(content);
  return (content ?? []).flatMap((part) => partBlocks(part));
}

function partBlocks(part: ContentPart): Block[] {
  const blocks = plainBlocks(part);
  return isRecord(part.cache_control) ? markLast(blocks, part.cache_control) : blocks;
}

function plainBlocks(part: ContentPart): Block[] {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      return textBlocks(part.text);
    case "refusal":
      return textBlocks(part.refusal);
    case "image_url":
      return [pictureBlock(part)];
    case "file":
      return [fileBlock(part)];
    // Brought back by assistant messages; `thinkingBlocks` takes them, because they have to come first.
    case "thinking":
    case "redacted_thinking":
      return [];
    default:
      if (NATIVE.has(part.type)) return [part];
      throw refused(`Anthropic does not take content parts of type ${JSON.stringify(part.type ?? null)}.`);
  }
}

function textBlocks(text: unknown): Block[] {
  if (text === undefined || text === null) return [];
  if (typeof text !== "string") throw refused("The text of a content part has to be a string.");
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** A cache breakpoint stands on one block: the last of those that it was meant for. */
export function markLast(blocks: readonly Block[], cacheControl: Readonly<Record<string, unknown>>): Block[] {
  const last = blocks.at(-1);
  if (last === undefined) return [];
  return [...blocks.slice(0, -1), { ...last, cache_control: cacheControl }];
}

/**
 * Reasoning that an assistant message brings back. Anthropic checks its signature, so that a block without one, from
 * another provider or from text alone, would be refused and is left out.
 */
export function thinkingBlocks(message: Message): Block[] {
  const given = [message.thinking_blocks, message.content].filter(Array.isArray);
  return given.flat().flatMap((block: unknown): Block[] => {
    if (!isRecord(block)) return [];
    const { type, thinking, signature, data } = block;
    if (type === "redacted_thinking" && typeof data === "string") return [{ type, data }];
    const isSigned = type === "thinking" && typeof thinking === "string" && typeof signature === "string";
    return isSigned && signature !== "" ? [{ type, thinking, signature }] : [];
  });
}
