import { FormatError } from "../../../sdk/typescript/src/index.ts";
import { type ModelFile, openModel } from "../model-file.ts";
import { differenceOf, type Layout } from "../model-values.ts";
import { rowOf, type StoredReply } from "./run-folder.ts";

/** A model that may count, or why it may not. What is refused here never reaches a strategy. */
export function admit(
  { path, numExamples }: StoredReply,
  expected: Layout | null,
  shape: readonly number[] | null,
): ModelFile | { readonly refused: string } {
  if (!(numExamples > 0)) return { refused: "it has no examples" };
  try {
    const model = openModel(path, rowOf(path), shape);
    const difference = expected === null ? null : differenceOf(expected, model.layout);
    return difference === null ? model : { refused: difference };
  } catch (thrown) {
    if (thrown instanceof FormatError) return { refused: thrown.message };
    throw thrown;
  }
}
