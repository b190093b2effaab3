/** Something that was found in a text. */
export interface Match {
  readonly category: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds one kind of thing. Whether a match stands at a place depends on nothing but the match itself and a few characters
 * around it (`CONTEXT_CHARS` before), so that a text can be looked at in pieces.
 */
export interface Detector {
  /** The first match that begins at `from` or behind it; what is before `from` was decided already. */
  next(text: string, from: number): Match | null;
  /** From where on, at `from` or behind it, more text could still begin, lengthen or undo a match; at most the length. */
  open(text: string, from: number): number;
  /** Where a match costs more than its own length: so many in one text, and no more. */
  readonly matchesMax?: number;
  /** Is given texts as they are written, and not in narrow signs. */
  readonly takesWide?: boolean;
}

/** Thrown where looking on could not be bounded; the text is refused instead. */
export class TooMuchFound extends Error {
  constructor(readonly category: string) {
    super(`too much was found of ${category}`);
  }
}

/** As much of what was decided stays before the rest of a text, for detectors that look back. */
export const CONTEXT_CHARS = 64;

const WIDE = /[\u3000\uff01-\uff5e]/;

/** Letters, digits, signs and blanks of ASCII in the wide form that East Asian texts have, as what they are; all else stays, in its place. */
export function narrow(text: string): string {
  if (!WIDE.test(text)) return text;
  const bytes = Buffer.allocUnsafeSlow(2 * text.length);
  bytes.write(text, "utf16le");
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] as number;
    if (unit >= 0xff01 && unit <= 0xff5e) units[at] = unit - 0xfee0;
    else if (unit === 0x3000) units[at] = 0x20;
  }
  return bytes.toString("utf16le");
}
