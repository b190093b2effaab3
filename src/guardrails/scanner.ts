import { type Detector, type Match, narrow, TooMuchFound } from "./detector.ts";
import { pastInvisible } from "./invisible-characters.ts";

const CONTROL = /(?![\t-\r])\p{Cc}/u;

/** ASCII that is seen, and blanks. Most texts have nothing else, which is found in a tenth of the time that it takes to look for a sign. */
const isPlain = (text: string): boolean => Buffer.byteLength(text) === text.length && !CONTROL.test(text);

/** The matches of several detectors in their order; where two overlap, the one that begins first, then the longer one. */
export class Scanner {
  /** Whether something stands in the text that nobody sees. */
  readonly hasUnseen: boolean;
  private readonly found: (Match | null | undefined)[];
  private readonly counts: number[];
  private readonly detectors: readonly Detector[];
  private readonly narrow: string;

  constructor(
    detectors: readonly Detector[],
    private readonly text: string,
  ) {
    const plain = isPlain(text);
    this.narrow = plain ? text : narrow(text);
    const further = plain ? [] : pastInvisible(detectors, this.narrow);
    this.hasUnseen = further.length > 0;
    this.detectors = this.hasUnseen ? [...detectors, ...further] : detectors;
    this.found = this.detectors.map(() => undefined);
    this.counts = this.detectors.map(() => 0);
  }

  next(from: number): Match | null {
    let best: Match | null = null;
    for (const [index, detector] of this.detectors.entries()) {
      let match = this.found[index];
      // What lay ahead and still does is not looked for again.
      if (match === undefined || (match !== null && match.start < from)) match = this.ask(detector, index, from);
      this.found[index] = match;
      if (match && (best === null || isBefore(match, best))) best = match;
    }
    return best;
  }

  private ask(detector: Detector, index: number, from: number): Match | null {
    const match = detector.next(this.shownTo(detector), from);
    const count = match ? (this.counts[index] ?? 0) + 1 : 0;
    this.counts[index] = count;
    if (match && count > (detector.matchesMax ?? count)) throw new TooMuchFound(match.category);
    return match;
  }

  open(from: number): number {
    return this.detectors.reduce((least, one) => Math.min(least, one.open(this.shownTo(one), from)), this.text.length);
  }

  private shownTo({ takesWide }: Detector): string {
    return takesWide ? this.text : this.narrow;
  }
}

const isBefore = (a: Match, b: Match): boolean => a.start < b.start || (a.start === b.start && a.end > b.end);

/** Whether there is anything to find in a whole text. */
export function findsAny(detectors: readonly Detector[], text: string): boolean {
  if (!isPlain(text)) return new Scanner(detectors, text).next(0) !== null;
  for (const detector of detectors) if (detector.next(text, 0) !== null) return true;
  return false;
}

/** Every match of a whole text. */
export function findAll(detectors: readonly Detector[], text: string): Match[] {
  const scanner = new Scanner(detectors, text);
  const matches: Match[] = [];
  for (let match = scanner.next(0); match; match = scanner.next(match.end)) matches.push(match);
  return matches;
}
