import type { ChatChunk, FinishReason, ToolCallDelta, Usage } from "../contract/chat.ts";
import type { RunUsage } from "./run-records.ts";

export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

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
    const calls = choice.delta.tool_calls ?? [];
    for (const call of calls) this.addCall(call);
    return { text, calls };
  }

  private addCall({ index, id, function: called }: ToolCallDelta): void {
    const known = this.calls[index] ?? { id: "", name: "", arguments: "" };
    this.calls[index] = {
      id: known.id || (id ?? ""),
      name: known.name || (called?.name ?? ""),
      arguments: known.arguments + (called?.arguments ?? ""),
    };
  }
}

const toUsage = ({ prompt_tokens, completion_tokens, total_tokens }: Usage): RunUsage => ({
  promptTokens: prompt_tokens,
  completionTokens: completion_tokens,
  totalTokens: total_tokens,
});
