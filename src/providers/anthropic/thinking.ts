import type { Message } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { reasoningEffort } from "../openai-form/wishes.ts";
import type { ModelTraits } from "./model-traits.ts";
import { thinkingBlocks } from "./parts.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface Thinking {
  readonly isOn: boolean;
  /** What `reasoning_effort` becomes; a `thinking` field of the caller passes beside it. */
  readonly thinking?: Fields;
  readonly effort?: string;
  /** Tokens that `max_tokens` has to exceed. */
  readonly budget: number;
}

const OFF: Thinking = { isOn: false, budget: 0 };

const BUDGETS: ReadonlyMap<string, number> = new Map([
  ["minimal", 1024],
  ["low", 1024],
  ["medium", 2048],
  ["high", 4096],
  ["xhigh", 8192],
  ["max", 16_384],
]);

/** The caller's own `thinking`, unless it says that there shall be none. */
export const asksForThinking = (request: Fields): boolean =>
  isRecord(request.thinking) && request.thinking.type !== "disabled";

/** Thinking and a forced tool exclude each other; the call is a demand, the effort a wish, and so the wish gives way. */
export function planThinking(
  request: Fields,
  messages: readonly Message[],
  traits: ModelTraits,
  isToolForced: boolean,
): Thinking {
  const asked = reasoningEffort(request);
  const effort = asked === null ? null : adaptiveEffort(asked, traits);
  if (isRecord(request.thinking)) {
    return { isOn: asksForThinking(request), budget: 0, ...(effort !== null && { effort }) };
  }
  if (asked === null) return OFF;
  if (traits.thinking === "adaptive") return adaptive(asked, effort, traits, isToolForced);
  const budget = BUDGETS.get(asked) ?? 0;
  if (traits.thinking === "none" || budget === 0 || isToolForced || isMidUnsignedCall(messages)) return OFF;
  return { isOn: true, thinking: { type: "enabled", budget_tokens: budget }, budget };
}

function adaptive(asked: string, effort: string | null, traits: ModelTraits, isToolForced: boolean): Thinking {
  const guided = { budget: 0, ...(effort !== null && { effort }) };
  if (effort === null || asked === "none" || isToolForced) return { isOn: false, ...guided };
  const display = traits.hidesThinking ? { display: "summarized" } : {};
  return { isOn: true, thinking: { type: "adaptive", ...display }, ...guided };
}

/** `none` becomes the lowest effort of models that think unasked: not all of them can be told to stop. */
function adaptiveEffort(asked: string, traits: ModelTraits): string | null {
  if (traits.thinking !== "adaptive") return null;
  if (asked === "none") return traits.thinksUnasked ? "low" : null;
  if (asked === "minimal") return "low";
  if (asked === "xhigh" || asked === "max") return traits.highestEfforts.includes(asked) ? asked : "max";
  return BUDGETS.has(asked) ? asked : null;
}

/**
 * A budget may not be set while the model waits for results of calls that it made while thinking, unless that thinking
 * is brought back. Most OpenAI clients drop it, and their second request would be refused.
 */
function isMidUnsignedCall(messages: readonly Message[]): boolean {
  const called = messages.findLastIndex(({ role }) => role === "assistant");
  const caller = messages[called];
  if (caller === undefined || thinkingBlocks(caller).length > 0) return false;
  // What the user says beside the results stands in the same turn.
  return messages.slice(called).some(({ role }) => role === "tool" || role === "function");
}
