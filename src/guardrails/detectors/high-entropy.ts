import type { Detector } from "../detector.ts";
import { charSet, hasRun, trailingRun } from "./characters.ts";

const LENGTH_MIN = 28;
/** What is longer is data, such as a picture. */
const LENGTH_MAX = 200;
/** In bits per character: words of a language stay below, random letters and digits above. */
const ENTROPY_MIN = 4;

const isInside = charSet(/[A-Za-z0-9_+-]/);
const RUN = /[A-Za-z0-9_+-]{28,}/g;

/** A token that looks random: large and small letters and digits, none of them often. Hashes and UUIDs are none. */
export const highEntropy: Detector = {
  next(text, from) {
    if (!hasRun(text, from, isInside, LENGTH_MIN)) return null;
    RUN.lastIndex = from;
    for (let found = RUN.exec(text); found; found = RUN.exec(text)) {
      const [start, end] = [found.index, found.index + found[0].length];
      const isBegun = start > 0 && isInside(text.charCodeAt(start - 1));
      if (!isBegun && isRandom(found[0])) return { category: "high_entropy", start, end };
    }
    return null;
  },
  open: (text, from) => trailingRun(text, from, isInside, LENGTH_MAX + 1),
};

function isRandom(run: string): boolean {
  if (run.length < LENGTH_MIN || run.length > LENGTH_MAX) return false;
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run) || (run.match(/\d/g)?.length ?? 0) < 3) return false;
  return entropyOf(run) >= ENTROPY_MIN;
}

/** Shannon's, in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
