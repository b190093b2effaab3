import type { Call } from "../read-call.ts";
import type { Result } from "../results.ts";
import { readPackForm } from "./pack-form.ts";
import { packUpdate } from "./pack-update.ts";

/** Packs updates for coordinators that wish it, and remembers what was left out of the last one, for one run. */
export class Packing {
  private last: { readonly runId: string; readonly left: Float32Array } | null = null;

  pack({ method, runId, config, parameters }: Call, result: Result): Result {
    const form = readPackForm(config.pack);
    if (method !== "train" || form === null || parameters === null || result.parameters === undefined) return result;
    const left = this.last !== null && this.last.runId === runId ? this.last.left : null;
    const packed = packUpdate(parameters, result.parameters, form, left);
    if (packed === null) return result;
    this.last = runId === null || packed.left === null ? null : { runId, left: packed.left };
    return { ...result, parameters: packed.parameters };
  }
}
