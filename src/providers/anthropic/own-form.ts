import type { ChatRequest } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { isForeignSeal } from "../thought-seal.ts";
import type { Block, Turn } from "./block.ts";

/** Whether a request is in Anthropic's own form: the caller speaks it, and is to get all that the answer has. */
export const isInOwnForm = (request: Readonly<Record<string, unknown>>): boolean => request.anthropic_form === true;

/**
 * Fields of a message and of deltas for what a chat's answer has no place for: all blocks of a message; the beginning of a
 * block; a piece of one. Only who asks in Anthropic's form gets them.
 */
export const OWN_FIELDS = ["anthropic_content", "anthropic_block", "anthropic_delta"] as const;

/** Of a block that begins in a stream: what follows is plain text, as in any chat. */
export const beginsText = (block: unknown): boolean => isRecord(block) && block.type === "text";

/** Reasons of an end that a chat's answer has words for. */
const PLAIN_REASONS: ReadonlySet<unknown> = new Set(["end_turn", "max_tokens", "tool_use", "refusal"]);

/** Of a choice: why it ended, where its `finish_reason` does not tell. */
export function ownReason(ended: Readonly<Record<string, unknown>>): object {
  const { stop_reason: reason, stop_sequence: sequence } = ended;
  if (PLAIN_REASONS.has(reason)) return {};
  return { stop_reason: reason, ...(typeof sequence === "string" && { stop_sequence: sequence }) };
}

/**
 * The turns as they are. Thoughts that nobody has signed, or another, come from other providers: Anthropic would refuse them,
 * and a turn of nothing else is none.
 */
export function ownTurns(messages: ChatRequest["messages"]): Turn[] {
  return messages.flatMap((message) => {
    const { content } = message as { content?: string | Block[] | null };
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    const known = blocks.filter((block) => !isForeign(block));
    return known.length === 0 ? [] : [{ ...(message as object), content: known } as unknown as Turn];
  });
}

const isForeign = (block: unknown): boolean =>
  isRecord(block) && block.type === "thinking" && ((block.signature ?? "") === "" || isForeignSeal(block.signature));
