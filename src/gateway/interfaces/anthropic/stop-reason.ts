import type { Fields } from "../../call/gateway.ts";

/** What an answer needs besides a chat's own words. */
export interface Asked {
  /** Thoughts that nobody has signed are shown only to who asked for thoughts: many read the first block as the answer. */
  readonly thinking: boolean;
  readonly stopSequences: readonly string[];
}

export interface Ended {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ["length", "max_tokens"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["content_filter", "refusal"],
]);

/** Why a choice ended. Anthropic's own models say so in their words; some others name the sequence as `stop_reason`. */
export function stopReason(choice: Fields, calls: boolean, { stopSequences }: Asked): Ended {
  const { finish_reason: finish, stop_reason: own, stop_sequence: sequence } = choice;
  if (typeof own === "string" && stopSequences.includes(own)) {
    return { stop_reason: "stop_sequence", stop_sequence: own };
  }
  const isTold = typeof own === "string" && OWN_REASON.test(own);
  const reason = isTold ? own : (REASONS.get(finish) ?? (calls ? "tool_use" : "end_turn"));
  return { stop_reason: reason, stop_sequence: typeof sequence === "string" ? sequence : null };
}

const OWN_REASON = /^(?:stop_sequence|pause_turn|model_context_window_exceeded)$/;
