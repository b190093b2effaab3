import type { Detector, Match } from "../detector.ts";
import { charSet, trailingRun } from "./characters.ts";

const LOCAL_MAX = 64;
const DOMAIN_MAX = 253;
const isLocal = charSet(/[\w.%+'-]/);
const isDomain = charSet(/[A-Za-z0-9.-]/);
const isInside = charSet(/[\w.%+'@-]/);
const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/;

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
  while (start < at && !/[A-Za-z0-9_]/.test(text.charAt(start))) start++;
  if (start === at) return null;
  let end = at + 1;
  while (end < text.length && end - at <= DOMAIN_MAX && isDomain(text.charCodeAt(end))) end++;
  const domain = DOMAIN.exec(text.slice(at + 1, end));
  return domain && { category: "email", start, end: at + 1 + domain[0].length };
}
