import { isRecord } from "../../lib/json.ts";

/** A content block of Converse: an object with one key, which says what it is. */
export type Block = Readonly<Record<string, unknown>>;

/** Bedrock refuses text that is blank. */
export const textBlocks = (text: unknown): Block[] =>
  typeof text === "string" && text.trim() !== "" ? [{ text }] : [];

/** `cache_control` marks the end of what shall be cached; in Converse the mark is a block of its own. */
export function cacheBlocks(marked: unknown): Block[] {
  const control = isRecord(marked) ? marked.cache_control : null;
  if (!isRecord(control)) return [];
  return [{ cachePoint: { type: "default", ...(control.ttl === "1h" ? { ttl: "1h" } : {}) } }];
}
