import { FormatError } from "../../../sdk/typescript/src/index.ts";
import { differenceOf, type Layout, type ModelValues, readModel } from "../model-values.ts";
import { findNotFinite } from "../vectors.ts";

/** A model that may count, or why it may not. What is refused here never reaches a strategy. */
export function admit(bytes: Uint8Array, expected: Layout | null): ModelValues | { readonly refused: string } {
  try {
    const model = readModel(bytes);
    const difference = expected === null ? null : differenceOf(expected, model.layout);
    if (difference !== null) return { refused: difference };
    const place = findNotFinite(model.values);
    return place < 0 ? model : { refused: `number ${place} is not finite` };
  } catch (thrown) {
    if (thrown instanceof FormatError) return { refused: thrown.message };
    throw thrown;
  }
}
