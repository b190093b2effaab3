import type { ChatDelta, Message } from "../../../contract/chat.ts";
import type { ResponseItem } from "../../../contract/responses.ts";
import { isRecord, parseJson } from "../../../lib/json.ts";
import { callSignature, textSignature, textSignatureField } from "../../../providers/gemini/signature.ts";
import { sealedItems } from "../../../providers/openai-responses/thoughts.ts";

export type Thoughts = Partial<Pick<Message, "reasoning_content" | "thinking_blocks" | "provider_specific_fields">>;
type Block = Record<string, unknown>;

/** Of a block that OpenAI has sealed, which travels in a field of its own. */
const SEALED_ITEM = "reasoning_item";
/** Of a seal of Google's: that of a call says which one, any other is of the text. */
const GOOGLE_SEAL = "google_seal";

/** What comes back with a thought. */
interface Returned {
  /** Fields of the message that the thought led to. */
  readonly fields: Thoughts;
  /** Fields of the message with the words of the turn, which may have come before the thought. */
  readonly ofText: Thoughts;
  /** Google's seals by the ids of the calls that they are of. */
  readonly ofCalls: readonly (readonly [callId: string, seal: string])[];
}

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

export function reasoningOf({ summary, encrypted_content }: ResponseItem): Returned {
  const parts: readonly unknown[] = Array.isArray(summary) ? summary : [];
  const text = parts.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("\n");
  const blocks = typeof encrypted_content === "string" ? unsealed(encrypted_content) : null;
  return returned(blocks ?? [], text === "" ? {} : { reasoning_content: text });
}

/** What a delta has that only its provider can read. */
export function sealedBlocks(delta: ChatDelta): readonly Block[] {
  const { thinking_blocks: blocks, tool_calls: calls } = delta;
  const ofText = textSignature(delta);
  const ofCalls = (calls ?? []).flatMap((call) => {
    const seal = call.id ? callSignature(call) : null;
    return seal === null ? [] : [{ type: GOOGLE_SEAL, call_id: call.id, seal }];
  });
  return [
    ...(blocks ?? []),
    ...sealedItems(delta).map((item) => ({ type: SEALED_ITEM, ...item })),
    ...(ofText === null ? [] : [{ type: GOOGLE_SEAL, seal: ofText }]),
    ...ofCalls,
  ];
}

function returned(blocks: readonly Block[], summary: Thoughts): Returned {
  const thinking: Block[] = [];
  const items: Block[] = [];
  const ofText: string[] = [];
  const ofCalls: [string, string][] = [];
  for (const block of blocks) {
    const { type, ...item } = block;
    const { seal, call_id: callId } = item;
    if (type === SEALED_ITEM) items.push(item);
    else if (type !== GOOGLE_SEAL) thinking.push(block);
    else if (typeof seal === "string" && typeof callId === "string") ofCalls.push([callId, seal]);
    else if (typeof seal === "string") ofText.push(seal);
  }
  return {
    fields: {
      ...summary,
      ...(thinking.length > 0 && { thinking_blocks: thinking }),
      ...(items.length > 0 && { provider_specific_fields: { reasoning_items: items } }),
    },
    ofText: ofText.length > 0 ? { provider_specific_fields: textSignatureField(ofText) } : {},
    ofCalls,
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
