import { closeSync, openSync, readSync } from "node:fs";
import { secagg } from "../../../sdk/typescript/src/index.ts";

const BLOCK_BYTES = 1024 * 1024;

/** Adds the words that lie in a file to a sum, modulo 2^32, block by block. */
export function addWords(sum: Uint32Array, path: string): void {
  const block = new Uint8Array(Math.min(BLOCK_BYTES, sum.byteLength));
  const handle = openSync(path, "r");
  try {
    for (let from = 0; from < sum.length; ) {
      const words = secagg.wordsOf(block.subarray(0, readWhole(handle, block, from * 4)));
      if (words.length === 0) throw new Error(`${path} was cut short`);
      for (let at = 0; at < words.length; at++) sum[from + at] = (sum[from + at] as number) + (words[at] as number);
      from += words.length;
    }
  } finally {
    closeSync(handle);
  }
}

/** A read may give less than was asked for; the end of the file ends it. */
function readWhole(handle: number, block: Uint8Array, position: number): number {
  let length = 0;
  while (length < block.length) {
    const got = readSync(handle, block, length, block.length - length, position + length);
    if (got === 0) break;
    length += got;
  }
  return length;
}
