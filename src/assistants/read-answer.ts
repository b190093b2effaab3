import type { ChatChunk, FinishReason, ToolCallDelta, Usage } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import { newRecordId } from "./new-ids.ts";
import type { RunUsage } from "./run-records.ts";

export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Calls in one answer. */
const CALLS_MAX = 128;

/** What a model has said so far. */
export class ReadAnswer {
  text = "";
  finish: FinishReason | null = null;
  usage: RunUsage | null = null;
  readonly calls: CalledTool[] = [];

  /** Gives what is new: text, and calls by their place. */
  add(chunk: ChatChunk): { readonly text: string; readonly calls: readonly ToolCallDelta[] } {
    if (chunk.usage) this.usage = toUsage(chunk.usage);
    const choice = chunk.choices.find(({ index }) => index === 0);
    if (!choice) return { text: "", calls: [] };
    this.finish = choice.finish_reason ?? this.finish;
    const text = choice.delta.content ?? "";
    this.text += text;
    return { text, calls: (choice.delta.tool_calls ?? []).map((call) => this.addCall(call)) };
  }

  /** Gives the call with the id that it goes by, the first time it is seen: providers leave it out, or give it twice. */
  private addCall({ index: place, id: given, function: called, ...rest }: ToolCallDelta): ToolCallDelta {
    const index = this.placeOf(place, given);
    const known = this.calls[index];
    const isTaken = !given || this.calls.some((one) => one?.id === given);
    const id = known?.id ?? (isTaken ? newRecordId("call") : given);
    this.calls[index] = {
      id,
      name: known?.name || (called?.name ?? ""),
      arguments: (known?.arguments ?? "") + (called?.arguments ?? ""),
    };
    return { ...rest, index, ...(known ? {} : { id }), ...(called ? { function: called } : {}) };
  }

  /** A provider that says no place begins a call with an id, and goes on with the last one without. */
  private placeOf(place: unknown, id: string | undefined): number {
    if (place === undefined || place === null) return Math.max(0, this.calls.length - (id ? 0 : 1));
    if (Number.isInteger(place) && (place as number) >= 0 && (place as number) < CALLS_MAX) return place as number;
    throw new GatewayError("upstream", "The provider answered with a tool call that cannot be placed.");
  }
}

const toUsage = ({ prompt_tokens, completion_tokens, total_tokens }: Usage): RunUsage => ({
  promptTokens: prompt_tokens,
  completionTokens: completion_tokens,
  totalTokens: total_tokens,
});
