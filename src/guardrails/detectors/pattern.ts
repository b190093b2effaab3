import type { LinearPattern } from "../../lib/linear-pattern.ts";
import { type Detector, type Match, TooMuchFound } from "../detector.ts";

/** As much is searched at once: finding every match of a text takes time that grows with the square of what is searched. */
const PIECE_CHARS = 2_048;

/** Places in one piece of text that are looked at more closely. */
const TRIES_MAX = 5_000;

/**
 * An operator's own pattern. A match is at most `reach` characters long: so much of a stream is held back. What matches
 * and is longer is refused, because its end is not known in time.
 */
export class PatternDetector implements Detector {
  readonly matchesMax = TRIES_MAX;
  readonly takesWide = true;

  constructor(
    readonly category: string,
    private readonly pattern: LinearPattern,
    private readonly reach: number,
  ) {}

  next(text: string, from: number): Match | null {
    let tries = 0;
    for (let at = from; at < text.length; ) {
      const pieceEnd = Math.min(text.length, at + PIECE_CHARS + this.reach);
      const found = this.find(text, at, pieceEnd);
      const decided = pieceEnd === text.length ? text.length : at + PIECE_CHARS;
      if (found && found.start < decided) {
        if (tries++ > TRIES_MAX) throw new TooMuchFound(this.category);
        const match = this.within(text, found.start);
        if (match) return match;
        at = found.start + 1;
      } else at = decided;
    }
    return null;
  }

  open(text: string, from: number): number {
    return Math.max(from, text.length - this.reach);
  }

  /** The match that begins here, as it is seen in `reach` characters: the same however the text arrives. */
  private within(text: string, start: number): Match | null {
    const end = Math.min(text.length, start + this.reach);
    const found = this.find(text, start, end);
    if (!found || found.start !== start || found.end === start) return null;
    if (found.end === start + this.reach) throw new TooMuchFound(this.category);
    return { category: this.category, start, end: found.end };
  }

  /** One character before is context. */
  private find(text: string, from: number, end: number): { start: number; end: number } | null {
    const before = Math.max(0, from - 2);
    const found = this.pattern.find(text.slice(before, end), from - before);
    return found && { start: found.start + before, end: found.end + before };
  }
}
