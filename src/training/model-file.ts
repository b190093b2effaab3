import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from "node:fs";
import { FormatError, readTensors, type Tensors } from "../../sdk/typescript/src/index.ts";
import { floatPieces, type Layout, layoutOf, lengthOfLayout, rowOfFloats } from "./model-values.ts";

/** A model in a file: how it is laid out, and where its floats stand in one row. It is never in memory as a whole. */
export interface ModelFile {
  readonly layout: Layout;
  readonly numbers: { readonly path: string; readonly offset: number; readonly length: number };
}

/** Smaller files are read, larger ones are looked at in place. */
const MAPPED_BYTES_MIN = 65_536;

/**
 * Where the floats do not stand in one row of 32 bits (halves, archives, integers in between) they are written to `rowPath`.
 * With a shape the file holds bare floats of that shape. An archive that becomes larger than `unpackedMax` is refused.
 */
export function openModel(
  path: string,
  rowPath: string,
  shape: readonly number[] | null,
  unpackedMax?: number,
): ModelFile {
  const bytes = bytesIn(path);
  const layout = layoutOf(bytes, shape, unpackedMax);
  const length = lengthOfLayout(layout);
  const offset = rowOfFloats(bytes, layout);
  if (offset >= 0) return { layout, numbers: { path, offset, length } };
  writeRow(rowPath, floatPieces(layout));
  return { layout, numbers: { path: rowPath, offset: 0, length } };
}

/** The tensors of a file, in place; null where it has none that are read here. */
export function tensorsIn(path: string, unpackedMax?: number): Tensors | null {
  try {
    return readTensors(bytesIn(path), null, unpackedMax);
  } catch (thrown) {
    if (thrown instanceof FormatError) return null;
    throw thrown;
  }
}

const bytesIn = (path: string): Uint8Array =>
  statSync(path).size < MAPPED_BYTES_MIN ? readFileSync(path) : Bun.mmap(path);

/** Not flushed: it is made again from the file that it was made of. */
export function writeRow(path: string, pieces: Iterable<Float32Array>): void {
  const temporary = `${path}.part`;
  const handle = openSync(temporary, "w");
  try {
    for (const piece of pieces) {
      const bytes = new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    }
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, path);
}
