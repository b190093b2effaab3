import type { ChatDelta, Message } from "../../contract/chat.ts";
import type { ResponseItem } from "../../contract/responses.ts";
import { isRecord, parseJson } from "../../lib/json.ts";

type Thoughts = Partial<Pick<Message, "reasoning_content" | "thinking_blocks" | "provider_specific_fields">>;
type Block = Record<string, unknown>;

/** Of a block that OpenAI has sealed, which travels in a field of its own. */
const SEALED_ITEM = "reasoning_item";

/**
 * What a model thought, as an item. Blocks that a provider has signed lie in `encrypted_content`, so that they come back to it
 * with the next turn; who wrote them checks them, not we.
 */
export const thoughtItem = (
  id: string,
  texts: readonly string[],
  blocks: readonly Record<string, unknown>[],
  status = "completed",
): ResponseItem => ({
  type: "reasoning",
  id,
  summary: texts.map(summaryPart),
  ...(blocks.length > 0 ? { encrypted_content: sealed(blocks) } : {}),
  // Thoughts need not say it; those that were cut do.
  ...(status === "completed" ? {} : { status }),
});

export const summaryPart = (text: string): object => ({ type: "summary_text", text });

export function thoughtsOf({ summary, encrypted_content }: ResponseItem): Thoughts {
  const parts: readonly unknown[] = Array.isArray(summary) ? summary : [];
  const text = parts.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("\n");
  const blocks = typeof encrypted_content === "string" ? unsealed(encrypted_content) : null;
  return { ...(text === "" ? {} : { reasoning_content: text }), ...fieldsOf(blocks ?? []) };
}

/** What a delta has that only its provider can read. */
export function sealedBlocks({
  thinking_blocks: blocks,
  provider_specific_fields: fields,
}: ChatDelta): readonly Block[] {
  const items: unknown = isRecord(fields) ? fields.reasoning_items : null;
  if (!Array.isArray(items)) return blocks ?? [];
  return [...(blocks ?? []), ...items.filter(isRecord).map((item) => ({ type: SEALED_ITEM, ...item }))];
}

/** The same as fields of the message that brings it back. */
function fieldsOf(blocks: readonly Block[]): Thoughts {
  const thinking = blocks.filter(({ type }) => type !== SEALED_ITEM);
  const items = blocks.filter(({ type }) => type === SEALED_ITEM).map(({ type: _, ...item }) => item);
  return {
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
    ...(items.length > 0 && { provider_specific_fields: { reasoning_items: items } }),
  };
}

const sealed = (blocks: readonly Record<string, unknown>[]): string =>
  Buffer.from(JSON.stringify(blocks)).toString("base64url");

/** Null for what we have not made: another provider's is none that anybody here could read. */
function unsealed(text: string): Record<string, unknown>[] | null {
  try {
    const blocks = parseJson(Buffer.from(text, "base64url").toString());
    return Array.isArray(blocks) && blocks.every(isRecord) ? blocks : null;
  } catch {
    return null;
  }
}
