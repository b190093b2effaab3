import type { ChatChunk, ChatRequest } from "../contract/chat.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { PromptDeps } from "./prompt.ts";
import type { FoundPassage, Run, RunUsage } from "./run-records.ts";

/** Told of each call what it has cost, in nano-USD. */
export type OnCost = (cost: bigint) => void;

/** What carrying out a run stands on. */
export interface ExecutionDeps extends PromptDeps {
  /** Asks the model, as the key of the run and like any call of it. What it throws tells why there is no answer. */
  readonly ask: (
    run: Run,
    request: ChatRequest,
    signal: AbortSignal,
    onCost: (cost: bigint, tokens: Pick<RunUsage, "promptTokens" | "completionTokens">) => void,
  ) => Promise<AsyncIterable<ChatChunk>>;
  /** What a search in the files of the run finds. */
  readonly search: (run: Run, query: string, signal: AbortSignal, onCost: OnCost) => Promise<readonly FoundPassage[]>;
  readonly clock: Clock;
  readonly log: Logger;
}
