import type { Detector } from "../detector.ts";
import { charSet, isWordChar } from "./characters.ts";
import { runDetector } from "./run-detector.ts";

const isSign = charSet(/[\w.+-]/);
const DIGITS_MIN = 8;
const DIGITS_MAX = 15;

/** With the country's code; as North America writes it; with the nought of the trunk line. A mere number is none. */
const PATTERN =
  /\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){1,6}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|\(?0\d{1,4}\)?[ /-]\d{3,8}(?:[ -]\d{2,6}){0,3}/g;

export const phone: Detector = runDetector({
  category: "phone",
  pattern: PATTERN,
  isInside: charSet(/[0-9 +./()-]/),
  reach: 64,
  accept(text, start, end) {
    const before = text.charCodeAt(start - 1);
    if (start > 0 && isSign(before)) return false;
    if (end < text.length && isWordChar(text.charCodeAt(end))) return false;
    const digits = text.slice(start, end).replace(/\D/g, "").length;
    return digits >= DIGITS_MIN && digits <= DIGITS_MAX;
  },
});
