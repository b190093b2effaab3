import type { Detector, Match } from "../detector.ts";
import { type CharSet, charSet, trailingRun } from "./characters.ts";

const LOCAL_MAX = 64;
const DOMAIN_MAX = 253;
/** Letters of Latin, Greek and Cyrillic, which are written with blanks between words: an address is told from a word beside it. */
const LETTERS = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u052f";
const isLetterBeyond: CharSet = (code) =>
  (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7) || (code >= 0x300 && code <= 0x52f);
const isLocal = charSet(/[\w.%+'-]/, isLetterBeyond);
const isDomain = charSet(/[A-Za-z0-9.-]/, isLetterBeyond);
const isInside = charSet(/[\w.%+'@-]/, isLetterBeyond);
const isFirst = charSet(/\w/, isLetterBeyond);
const DOMAIN = new RegExp(
  `^(?:[${LETTERS}0-9](?:[${LETTERS}0-9-]{0,61}[${LETTERS}0-9])?\\.){1,8}[${LETTERS}]{2,24}(?![${LETTERS}0-9-])`,
);

/** Looks for the `@` and then to both sides: a long text without one costs nothing. */
export const email: Detector = {
  next(text, from) {
    for (let at = text.indexOf("@", from); at >= 0; at = text.indexOf("@", at + 1)) {
      const match = addressAround(text, at, from);
      if (match) return match;
    }
    return null;
  },
  open: (text, from) => trailingRun(text, from, isInside, LOCAL_MAX + 1 + DOMAIN_MAX),
};

function addressAround(text: string, at: number, from: number): Match | null {
  const least = Math.max(from, at - LOCAL_MAX);
  let start = at;
  while (start > least && isLocal(text.charCodeAt(start - 1))) start--;
  // A sentence may end, or a quotation begin, just before an address.
  while (start < at && !isFirst(text.charCodeAt(start))) start++;
  if (start === at) return null;
  let end = at + 1;
  while (end < text.length && end - at <= DOMAIN_MAX && isDomain(text.charCodeAt(end))) end++;
  const domain = DOMAIN.exec(text.slice(at + 1, end));
  return domain && { category: "email", start, end: at + 1 + domain[0].length };
}
