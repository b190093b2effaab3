import { createHash } from "node:crypto";

/** Words that are made from a seed at once: the mask of a large model never exists as a whole. */
const BLOCK_WORDS = 65_536;

/** Adds the mask of a seed to the words, or takes it away, modulo 2^32: words of SHAKE-128(seed, number of the block). */
export function addMask(words: Uint32Array, seed: Uint8Array, sign: 1 | -1): void {
  const counter = Buffer.alloc(4);
  for (let start = 0, block = 0; start < words.length; start += BLOCK_WORDS, block++) {
    const count = Math.min(BLOCK_WORDS, words.length - start);
    counter.writeUInt32LE(block);
    const drawn = createHash("shake128", { outputLength: count * 4 })
      .update(seed)
      .update(counter)
      .digest();
    const mask = wordsOf(drawn);
    for (let at = 0; at < count; at++) {
      // An array of 32-bit words keeps the lowest 32 bits by itself.
      words[start + at] = (words[start + at] as number) + sign * (mask[at] as number);
    }
  }
}

/** The same words, in place where the bytes lie well. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
}

export const bytesOf = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
