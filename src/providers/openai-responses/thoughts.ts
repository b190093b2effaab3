import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a model thought, sealed by OpenAI, which alone can read it and wants it back before what it led to. It travels as
 * `provider_specific_fields.reasoning_items` of the message; `call_id` tells the call that it led to, where it led to one.
 */
export interface SealedThought {
  /** Its place: clients that join the pieces of a stream want to know it. */
  readonly index: number;
  readonly id: string;
  readonly encrypted_content: string;
  /** The mark of the account that sealed it: another one would refuse it. */
  readonly by: string;
  readonly call_id?: string;
}

/** Hears the items of an answer one by one, and gives what was thought when that has led to something. */
export class SealedThoughts {
  private waiting: SealedThought[] = [];
  private given = 0;

  constructor(private readonly by: string) {}

  /** The thoughts that led to an item. Those that lead to nothing are of no use to anybody. */
  before(item: Fields): readonly SealedThought[] {
    const { type, id, encrypted_content } = item;
    if (type === "reasoning") {
      if (typeof id !== "string" || typeof encrypted_content !== "string") return [];
      this.waiting.push({ index: this.given++, id, encrypted_content, by: this.by });
      return [];
    }
    const led = this.waiting;
    this.waiting = [];
    return type === "function_call" && typeof item.call_id === "string"
      ? led.map((thought) => ({ ...thought, call_id: item.call_id as string }))
      : led;
  }
}

/** Thoughts as a field of a message, or of a delta. */
export const thoughtFields = (thoughts: readonly SealedThought[]): Record<string, unknown> =>
  thoughts.length === 0 ? {} : { provider_specific_fields: { reasoning_items: thoughts } };

/** Those that a message has, or a delta, whoever has written them. */
export function sealedItems({ provider_specific_fields: fields }: Fields): readonly Fields[] {
  const items: unknown = isRecord(fields) ? fields.reasoning_items : null;
  return Array.isArray(items) ? items.filter(isRecord) : [];
}

interface Thoughts {
  readonly first: readonly Fields[];
  /** To be taken by the first call of an id: as often as it is called, they would be more than a process holds. */
  readonly byCall: Map<unknown, readonly Fields[]>;
}

/** Those that a message brings back to who sealed them, by what they stand before. */
export function thoughtsBefore(message: Message, calls: readonly { readonly id: string }[], by: string): Thoughts {
  const first: Fields[] = [];
  const byCall = new Map<unknown, Fields[]>(calls.map((call) => [call.id, []]));
  for (const thought of sealedItems(message).filter(isSealed)) {
    if (thought.by !== by) continue;
    const { id, encrypted_content, call_id: callId } = thought;
    const item = { type: "reasoning", id, summary: [], encrypted_content };
    (byCall.get(callId) ?? first).push(item);
  }
  return { first, byCall };
}

const isSealed = (thought: unknown): thought is SealedThought =>
  isRecord(thought) && typeof thought.id === "string" && typeof thought.encrypted_content === "string";

/** The words in which a thought is shown: its summary, and the thought itself where a provider tells it. */
export const thoughtTexts = (item: Fields): string[] =>
  [item.summary, item.content].flatMap((parts: unknown) =>
    (Array.isArray(parts) ? parts : []).flatMap((part: unknown) =>
      isRecord(part) && typeof part.text === "string" && part.text !== "" ? [part.text] : [],
    ),
  );
