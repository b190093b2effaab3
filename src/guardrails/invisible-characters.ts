import type { Detector } from "./detector.ts";

/**
 * Signs that nobody sees: what joins or parts letters, says which way they run or how they are drawn, and what stands for nothing.
 * Of control characters all but blanks.
 */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfff8],
];
const IS_UNSEEN = new Uint8Array(0x10000);
for (const [first, last] of RANGES) IS_UNSEEN.fill(1, first, last + 1);
/** The first half of tags and of further choices how a sign is drawn: nobody sees what begins with it. */
const TAG_HALF = 0xdb40;
IS_UNSEEN[TAG_HALF] = 1;

/** The detectors as they find what stands in a text if what nobody sees is left out; none where there is nothing such. */
export function pastInvisible(detectors: readonly Detector[], text: string): readonly Detector[] {
  let first = 0;
  while (first < text.length && IS_UNSEEN[text.charCodeAt(first)] === 0) first++;
  if (first === text.length) return [];
  const seen = new SeenText(text);
  return detectors.flatMap((one) => (one.takesWide ? [] : [lookingAt(seen, one)]));
}

/** A word of a list as it is compared with such a text. */
export const visibleOnly = (word: string): string => new SeenText(word).text;

/** A text without what nobody sees in it. */
class SeenText {
  readonly text: string;
  /** Where each of its characters stands in the whole one. */
  private readonly places: Uint32Array;

  constructor(private readonly whole: string) {
    const places = new Uint32Array(whole.length);
    const units = new Uint16Array(whole.length);
    let length = 0;
    for (let at = 0; at < whole.length; at++) {
      const unit = whole.charCodeAt(at);
      if (unit === TAG_HALF && (whole.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++;
      if (IS_UNSEEN[unit] === 1) continue;
      places[length] = at;
      units[length++] = unit;
    }
    this.places = places.subarray(0, length);
    this.text = Buffer.from(units.buffer, 0, 2 * length).toString("utf16le");
  }

  /** In the whole text, of a character of this one; its end for the place behind the last. */
  placeOf(at: number): number {
    return this.places[at] ?? this.whole.length;
  }

  /** In this text, of the first character that does not stand before a place of the whole one. */
  firstFrom(place: number): number {
    const { places } = this;
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Its matches reach over what is left out inside of them, and have none of it at their ends. */
const lookingAt = (seen: SeenText, detector: Detector): Detector => ({
  next(_, from) {
    const match = detector.next(seen.text, seen.firstFrom(from));
    if (match === null) return null;
    const { category, start, end } = match;
    return { category, start: seen.placeOf(start), end: seen.placeOf(end - 1) + 1 };
  },
  open: (_, from) => seen.placeOf(detector.open(seen.text, seen.firstFrom(from))),
});
