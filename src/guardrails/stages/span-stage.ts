import { CONTEXT_CHARS, type Detector, type Match, TooMuchFound } from "../detector.ts";
import { Scanner } from "../scanner.ts";
import type { Stage } from "./stage.ts";
import { isInsideSurrogatePair } from "./surrogate-pair.ts";

/** What is put in place of a match; throws where the text is refused. `before` are a few characters that precede it. */
export type Replace = (match: Match, found: string, before: string) => string;

/** Where so much is held back, it is looked through anew only once an eighth of it can be decided: else each piece would cost all of it. */
const LONG_CHARS = 256;
const PART_DECIDED = 8;

/** Signs that nobody sees lengthen what is held back without an end; what has so many of them is refused. */
const HELD_CHARS_MAX = 32 * 1024;
const UNSEEN = "signs that nobody sees";

/** Replaces what detectors find, in the order of the text. What may still become part of a match is held back. */
export class SpanStage implements Stage {
  /** The end of what was decided, for detectors that look back, and all that was not. */
  private text = "";
  private from = 0;
  /** Where there are signs that nobody sees, it is looked at again only once it is so long. */
  private enough = 0;

  constructor(
    private readonly detectors: readonly Detector[],
    private readonly replace: Replace,
  ) {}

  push(text: string): string {
    this.text += text;
    if (this.text.length < this.enough) return "";
    const scanner = new Scanner(this.detectors, this.text);
    const open = scanner.open(this.from);
    if (scanner.hasUnseen) this.boundUnseen(this.text.length - open);
    // Half of a character, in a piece of its own, is none that a client could show.
    const until = isInsideSurrogatePair(this.text, open) ? Math.max(this.from, open - 1) : open;
    return this.isWorthIt(until) ? this.decide(scanner, until) : "";
  }

  private boundUnseen(held: number): void {
    if (held > HELD_CHARS_MAX) throw new TooMuchFound(UNSEEN);
    this.enough = held < LONG_CHARS ? 0 : this.text.length + held / PART_DECIDED;
  }

  /** A text that is there as a whole: looked through once. */
  whole(text: string): string {
    this.text += text;
    return this.end();
  }

  end(): string {
    return this.decide(new Scanner(this.detectors, this.text), this.text.length);
  }

  private isWorthIt(until: number): boolean {
    const [decided, held] = [until - this.from, this.text.length - until];
    return decided > 0 && (held < LONG_CHARS || decided * PART_DECIDED >= held);
  }

  private before(start: number): string {
    return this.text.slice(Math.max(0, start - CONTEXT_CHARS), start);
  }

  /** Replaces every match that begins before `until`; nothing that begins there is settled. */
  private decide(scanner: Scanner, until: number): string {
    let out = "";
    for (let match = scanner.next(this.from); match && match.start < until; match = scanner.next(this.from)) {
      out += this.text.slice(this.from, match.start);
      out += this.replace(match, this.text.slice(match.start, match.end), this.before(match.start));
      this.from = match.end;
    }
    // A match may reach behind what is open for another detector.
    if (until > this.from) {
      out += this.text.slice(this.from, until);
      this.from = until;
    }
    const dropped = Math.max(0, this.from - CONTEXT_CHARS);
    this.text = this.text.slice(dropped);
    this.enough = 0;
    this.from -= dropped;
    return out;
  }
}
