import type { Detector, Match } from "../detector.ts";
import { type CharSet, trailingRun } from "./characters.ts";

export interface RunPattern {
  readonly category: string;
  /** Global, and without unbounded repetition: its time is linear in the text. */
  readonly pattern: RegExp;
  /** Every character that a match may have; where more than the next one behind it decides about it, those as well. */
  readonly isInside: CharSet;
  /** More than the longest match. */
  readonly reach: number;
  /** What the pattern cannot say: checksums, and what stands beside the match. */
  readonly accept?: (text: string, start: number, end: number) => boolean;
}

/** For things that are written without a break, or with breaks of a few kinds. */
export function runDetector({ category, pattern, isInside, reach, accept }: RunPattern): Detector {
  return {
    next(text, from): Match | null {
      pattern.lastIndex = from;
      for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
        const [start, end] = [found.index, found.index + found[0].length];
        if (!accept || accept(text, start, end)) return { category, start, end };
        pattern.lastIndex = start + 1;
      }
      return null;
    },
    open: (text, from) => trailingRun(text, from, isInside, reach),
  };
}
