import type { Detector, Match } from "../detector.ts";
import { charSet, isAlphanumeric, isBreak, isDigit, isTypesetBreak, trailingRun } from "./characters.ts";

const DIGITS_MIN = 13;
const DIGITS_MAX = 19;
const isInside = charSet(/[0-9 -]/, isTypesetBreak);
const START = /[2-6]/g;

/** Thirteen to nineteen digits, in one piece or with single blanks or dashes between them, whose check digit is right. */
export const creditCard: Detector = {
  next(text, from) {
    START.lastIndex = from;
    for (let found = START.exec(text); found; found = START.exec(text)) {
      const start = found.index;
      if (start > 0 && isAlphanumeric(text.charCodeAt(start - 1))) continue;
      const match = cardAt(text, start);
      if (match) return match;
    }
    return null;
  },
  open: (text, from) => trailingRun(text, from, isInside, 2 * DIGITS_MAX + 2),
};

/** The longest number that begins here. */
function cardAt(text: string, start: number): Match | null {
  let digits = "";
  let match: Match | null = null;
  for (let at = start; at < text.length && digits.length < DIGITS_MAX; at++) {
    if (!isDigit(text.charCodeAt(at))) {
      if (!isBreak(text.charCodeAt(at)) || !isDigit(text.charCodeAt(at + 1))) break;
      continue;
    }
    digits += text[at];
    if (digits.length < DIGITS_MIN || isAlphanumeric(text.charCodeAt(at + 1))) continue;
    if (passesLuhn(digits)) match = { category: "credit_card", start, end: at + 1 };
  }
  return match;
}

/** Every second digit from the right is doubled; the digits' sum is a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48;
    const value = place % 2 === 0 ? digit : digit * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
