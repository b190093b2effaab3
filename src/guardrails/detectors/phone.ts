import type { Detector } from "../detector.ts";
import { charSet, isTypesetBreak, isWordChar, TYPESET_BREAKS } from "./characters.ts";
import { runDetector } from "./run-detector.ts";

const isSign = charSet(/[\w.+-]/);
const DIGITS_MIN = 8;
const DIGITS_MAX = 15;

const BREAK = `[ ${TYPESET_BREAKS}-]`;
const DOTTED = `[ .${TYPESET_BREAKS}-]`;
/** With the country's code, also behind two noughts; as North America writes it; with the nought of the trunk line. A mere number is none. */
const FORMS = [
  `\\+\\d{1,3}(?:${DOTTED}?\\(?\\d{1,4}\\)?){1,6}`,
  `\\(?\\d{3}\\)?${DOTTED}\\d{3}${DOTTED}\\d{4}`,
  `00[1-9]\\d{0,2}${BREAK}\\(?\\d{1,4}\\)?(?:${BREAK}?\\d{1,4}){1,5}`,
  `\\(?0\\d{1,4}\\)?[ /${TYPESET_BREAKS}-]\\d{3,8}(?:${BREAK}\\d{2,6}){0,3}`,
];

export const phone: Detector = runDetector({
  category: "phone",
  pattern: new RegExp(FORMS.join("|"), "g"),
  isInside: charSet(/[0-9 +./()-]/, isTypesetBreak),
  reach: 64,
  accept(text, start, end) {
    const before = text.charCodeAt(start - 1);
    if (start > 0 && isSign(before)) return false;
    if (end < text.length && isWordChar(text.charCodeAt(end))) return false;
    const digits = text.slice(start, end).replace(/\D/g, "").length;
    return digits >= DIGITS_MIN && digits <= DIGITS_MAX;
  },
});
