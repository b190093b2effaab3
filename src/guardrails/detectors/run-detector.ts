import type { Detector, Match } from "../detector.ts";
import { type CharSet, hasRun, trailingRun } from "./characters.ts";

export interface RunPattern {
  readonly category: string;
  /** Global, and without unbounded repetition: its time is linear in the text. */
  readonly pattern: RegExp;
  /** Every character that a match may have; where more than the next one behind it decides about it, those as well. */
  readonly isInside: CharSet;
  /** More than the longest match. */
  readonly reach: number;
  /** A text that every match has, at most so many characters behind its beginning: it is quicker to find. */
  readonly anchor?: { readonly text: string; readonly behind: number };
  /** So many characters inside stand side by side in every match: most texts have none such, which is quicker to see. */
  readonly runMin?: number;
  /** What the pattern cannot say: checksums, and what stands beside the match. */
  readonly accept?: (text: string, start: number, end: number) => boolean;
}

/** For things that are written without a break, or with breaks of a few kinds. */
export function runDetector({ category, pattern, isInside, reach, anchor, runMin, accept }: RunPattern): Detector {
  return {
    next(text, from): Match | null {
      if (runMin !== undefined && !hasRun(text, from, isInside, runMin)) return null;
      for (let at = from; ; ) {
        pattern.lastIndex = anchor ? beforeAnchor(text, at, anchor) : at;
        const found = pattern.lastIndex > text.length ? null : pattern.exec(text);
        if (!found) return null;
        const [start, end] = [found.index, found.index + found[0].length];
        if (!accept || accept(text, start, end)) return { category, start, end };
        at = start + 1;
      }
    },
    open: (text, from) => trailingRun(text, from, isInside, reach),
  };
}

/** Where a match may begin at the earliest; behind the text where it cannot. */
function beforeAnchor(text: string, from: number, { text: anchor, behind }: NonNullable<RunPattern["anchor"]>): number {
  const at = text.indexOf(anchor, from);
  return at < 0 ? text.length + 1 : Math.max(from, at - behind);
}
