import type { Call } from "../read-call.ts";
import type { Result } from "../results.ts";
import { readPackForm } from "./pack-form.ts";
import { packUpdate } from "./pack-update.ts";

interface Packed {
  readonly runId: string;
  readonly round: number | null;
  /** What was left out before it, and with it. */
  readonly before: Float32Array | null;
  readonly left: Float32Array;
}

/** Packs updates for coordinators that wish it, and remembers what was left out of the last one, for one run. */
export class Packing {
  private last: Packed | null = null;

  pack({ method, runId, round, config, parameters }: Call, result: Result): Result {
    const form = readPackForm(config.pack);
    if (method !== "train" || form === null || parameters === null || result.parameters === undefined) return result;
    const before = this.leftBefore(runId, round);
    const packed = packUpdate(parameters, result.parameters, form, before);
    if (packed === null) return result;
    this.last = runId === null || packed.left === null ? null : { runId, round, before, left: packed.left };
    return { ...result, parameters: packed.parameters };
  }

  /** An update that is asked for again is packed as it was the first time, and an earlier one is of a run that began anew. */
  private leftBefore(runId: string | null, round: number | null): Float32Array | null {
    const { last } = this;
    if (last === null || last.runId !== runId) return null;
    if (round === null || last.round === null || round > last.round) return last.left;
    return round === last.round ? last.before : null;
  }
}
