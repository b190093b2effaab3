import { FormatError, readPacked } from "../../../sdk/typescript/src/index.ts";
import { type ModelFile, openModel, tensorsIn, writeRow } from "../model-file.ts";
import { differenceOf, type Layout } from "../model-values.ts";
import { OpenSources } from "../threads/source.ts";
import { rowOf, type StoredReply } from "./run-folder.ts";

const BLOCK = 65_536;
/** More than an array of an archive has before its numbers. */
const HEAD_BYTES = 65_536;

export interface Answered extends ModelFile {
  /** How its change was packed; null where the whole model came. */
  readonly packed: string | null;
}

interface Expected {
  /** The model that it began from; null where it began from nothing. */
  readonly base: ModelFile | null;
  /** How a model of this run is laid out, as far as that is known. */
  readonly layout: Layout | null;
  readonly shape: readonly number[] | null;
}

/** A model that may count, or why it may not. What is refused here never reaches a strategy. */
export function admit(reply: StoredReply, expected: Expected): Answered | { readonly refused: string } {
  if (!(reply.numExamples > 0)) return { refused: "it has no examples" };
  try {
    const unpackedMax = unpackedMaxOf(expected.layout);
    const unpacked = unpack(reply, expected.base, unpackedMax);
    if (unpacked !== null) return unpacked;
    const model = openModel(reply.path, rowOf(reply.path), expected.shape, unpackedMax);
    const difference = expected.layout === null ? null : differenceOf(expected.layout, model.layout);
    return difference === null ? { ...model, packed: null } : { refused: difference };
  } catch (thrown) {
    if (thrown instanceof FormatError) return { refused: thrown.message };
    throw thrown;
  }
}

/** An archive of the same tensors is not much larger than they are, whatever form they had; undefined where they are not known. */
function unpackedMaxOf(layout: Layout | null): number | undefined {
  if (layout === null) return undefined;
  return layout.tensors.reduce((sum, { tensor }) => sum + 2 * tensor.bytes.length + HEAD_BYTES, HEAD_BYTES);
}

/** A packed change, added to the model that it began from and written beside the answer; null where it is something else. */
function unpack({ path }: StoredReply, base: ModelFile | null, unpackedMax?: number): Answered | null {
  const tensors = base === null ? null : tensorsIn(path, unpackedMax);
  const change = base === null || tensors === null ? null : readPacked(tensors, base.numbers.length);
  if (base === null || change === null) return null;
  const sources = new OpenSources();
  try {
    const values = sources.open(base.numbers);
    const block = new Float32Array(BLOCK);
    function* rows() {
      for (let start = 0; start < values.length; start += BLOCK) {
        const own = block.subarray(0, Math.min(BLOCK, values.length - start));
        values.read(start, own);
        change?.add(start, own);
        yield own;
      }
    }
    writeRow(rowOf(path), rows());
  } finally {
    sources.close();
  }
  const numbers = { path: rowOf(path), offset: 0, length: base.numbers.length };
  return { layout: base.layout, numbers, packed: change.form };
}
