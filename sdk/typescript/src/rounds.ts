import { createHash } from "node:crypto";
import { Failure } from "./failure.ts";
import type { Call } from "./read-call.ts";
import type { Result } from "./results.ts";

/** The last training that was asked for by run and round: a repeated question gets the same answer without training again. */
export class Rounds {
  private last: { runId: string; round: number; digest: string; result: Result } | null = null;

  /** The answer that was given before. A new question forgets the old answer first, so that only one is in memory. */
  find(call: Call): Result | null {
    const { runId, round } = call;
    if (call.method !== "train" || runId === null || round === null) return null;
    if (this.last?.runId === runId && this.last.round === round) {
      if (this.last.digest === digestOf(call.parameters)) return this.last.result;
      throw new Failure(409, "round_conflict", "this round of the run was asked for before with other parameters");
    }
    this.last = null;
    return null;
  }

  keep({ method, runId, round, parameters }: Call, result: Result): void {
    if (method !== "train" || runId === null || round === null) return;
    this.last = { runId, round, digest: digestOf(parameters), result };
  }
}

const digestOf = (parameters: Uint8Array | null): string =>
  parameters === null ? "none" : createHash("sha256").update(parameters).digest("hex");
