import type { ContentPart, Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { wordsIn } from "../openai-form/messages.ts";
import { type Block, cacheBlocks, textBlocks } from "./blocks.ts";
import type { DocumentNames } from "./document-names.ts";
import { fileBlock, pictureBlock, soundBlock } from "./media.ts";
import { refusedMessage, TITLE } from "./title.ts";

/** The content of a message as blocks, with a cache point behind each part that asks for one. */
export function contentBlocks(message: Message, names: DocumentNames): Block[] {
  const content = wordsIn(message) ?? [];
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw refusedMessage("The content of a message has to be a string or a list.");
  }
  const blocks =
    typeof content === "string" ? textBlocks(content) : content.flatMap((part) => markedBlocks(part, names));
  return blocks.length === 0 ? [] : [...blocks, ...cacheBlocks(message)];
}

function markedBlocks(part: ContentPart, names: DocumentNames): Block[] {
  if (!isRecord(part)) throw refusedMessage("A content part has to be an object.");
  const blocks = partBlocks(part, names);
  return blocks.length === 0 ? [] : [...blocks, ...cacheBlocks(part)];
}

function partBlocks(part: ContentPart, names: DocumentNames): Block[] {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      return textOf(part.text);
    case "refusal":
      return textOf(part.refusal);
    case "image_url":
      return [pictureBlock(part)];
    case "input_audio":
      return [soundBlock(part)];
    case "file":
      return [fileBlock(part, names)];
    // Assistant messages bring these back; `reasoningBlocks` takes them, because they have to come first.
    case "thinking":
    case "redacted_thinking":
      return [];
    default:
      throw refusedMessage(`${TITLE} does not take content parts of type ${JSON.stringify(part.type ?? null)}.`);
  }
}

function textOf(text: unknown): Block[] {
  if (typeof text !== "string") throw refusedMessage("The text of a content part has to be a string.");
  return textBlocks(text);
}

/**
 * Reasoning that an assistant message brings back. Its signature is checked, so that a block without one would be refused
 * and is left out.
 */
export function reasoningBlocks(message: Message): Block[] {
  const inContent: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const brought: readonly unknown[] = Array.isArray(message.thinking_blocks) ? message.thinking_blocks : [];
  return [...brought, ...inContent].flatMap((block): Block[] => {
    if (!isRecord(block)) return [];
    const { type, thinking: text, signature, data } = block;
    if (type === "redacted_thinking" && typeof data === "string")
      return [{ reasoningContent: { redactedContent: data } }];
    const isSigned =
      type === "thinking" && typeof text === "string" && typeof signature === "string" && signature !== "";
    return isSigned ? [{ reasoningContent: { reasoningText: { text, signature } } }] : [];
  });
}
