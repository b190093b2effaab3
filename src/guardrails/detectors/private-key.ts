import type { Detector, Match } from "../detector.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** A key of 8192 bits has less than seven thousand characters. */
const KEY_CHARS_MAX = 12 * 1024;
/** Lines of base64, apart by line ends or by the escapes of them. */
const BODY = /(?:(?:\\r|\\n|[\r\n])+[ \t]{0,8}[A-Za-z0-9+/=:,.-]{0,100})+/y;
const MARK = "-----BEGIN ";
const HEADER_MAX = 80;

/** From its first line to its last; where the last is missing, as far as there are lines of it. */
export const privateKey: Detector = {
  next(text, from) {
    BEGIN.lastIndex = from;
    const found = BEGIN.exec(text);
    return found && keyAt(text, found.index, found.index + found[0].length);
  },
  open(text, from) {
    BEGIN.lastIndex = from;
    for (let begun = BEGIN.exec(text); begun; begun = BEGIN.exec(text)) {
      const bodyStart = begun.index + begun[0].length;
      if (text.length - begun.index < KEY_CHARS_MAX && !findEnd(text, begun.index, bodyStart)) return begun.index;
      BEGIN.lastIndex = keyAt(text, begun.index, bodyStart).end;
    }
    const first = text.lastIndexOf(MARK);
    if (first >= from && text.length - first < HEADER_MAX) return first;
    return Math.max(from, text.length - markedAtEnd(text));
  },
};

/** How many of the last characters are the beginning of the mark. */
function markedAtEnd(text: string): number {
  for (let length = MARK.length - 1; length > 0; length--) if (text.endsWith(MARK.slice(0, length))) return length;
  return 0;
}

function findEnd(text: string, start: number, bodyStart: number): RegExpExecArray | null {
  END.lastIndex = bodyStart;
  return END.exec(text.slice(0, start + KEY_CHARS_MAX));
}

function keyAt(text: string, start: number, bodyStart: number): Match {
  const last = findEnd(text, start, bodyStart);
  if (last) return { category: "private_key", start, end: last.index + last[0].length };
  BODY.lastIndex = bodyStart;
  const lines = BODY.exec(text.slice(0, start + KEY_CHARS_MAX));
  return { category: "private_key", start, end: bodyStart + (lines?.[0].length ?? 0) };
}
