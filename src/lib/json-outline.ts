import type { Span } from "./json-scan.ts";

/** What can be told of a JSON text without making anything of it. */
export interface JsonOutline {
  /** Keys with their values, at every depth; one that is written twice counts twice. */
  readonly pairs: number;
  /** Whether each number is written in a way that leaves nothing to whoever reads it: short, and without an exponent. */
  readonly isPlain: boolean;
  /** Where the values of the outermost object lie, by their keys as they are written. */
  readonly fields: ReadonlyMap<string, Span>;
  /** Where values lie that are long strings, with their quotes. */
  readonly longStrings: readonly Span[];
}

const LONG_CHARS_MIN = 16 * 1024;

/** Up to here a number is the same to everybody who reads it. */
const NUMBER_CHARS_MAX = 15;

/**
 * The outline of a text that may or may not be JSON: what it says holds if it is. Strings are jumped over, since most of a
 * large text is in a few of them. Throws a RangeError where it opens more than `depthMax` lists and objects.
 */
export function outlineOf(text: string, depthMax: number): JsonOutline {
  const fields = new Map<string, Span>();
  const longStrings: Span[] = [];
  let depth = 0;
  let pairs = 0;
  let isPlain = true;
  /** The last string at the outermost level, and the key and the beginning of the value that is being read there. */
  let string = "";
  let key = "";
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      if (end < 0) break;
      if (depth === 1 && start < 0) string = text.slice(at + 1, end);
      if (end - at > LONG_CHARS_MIN && endsValue(text.charCodeAt(end + 1)))
        longStrings.push({ start: at, end: end + 1 });
      at = end;
    } else if (code === 91 || code === 123) {
      if (++depth > depthMax) throw new RangeError("nested too deeply");
    } else if (code === COLON) {
      pairs++;
      if (depth !== 1) continue;
      key = string;
      start = at + 1;
    } else if (endsValue(code)) {
      if (depth === 1 && start >= 0) {
        fields.set(key, { start, end: at });
        start = -1;
      }
      if (code !== COMMA) depth--;
    } else if (isPlain && (code === 45 || (code >= 48 && code <= 57))) {
      const end = digitsEnd(text, at + 1);
      isPlain = end - at <= NUMBER_CHARS_MAX && (text.charCodeAt(end) | 32) !== SMALL_E;
      at = end - 1;
    }
  }
  return { pairs, isPlain, fields, longStrings };
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const SMALL_E = 101;

/** A key is followed by something else. */
const endsValue = (code: number): boolean => code === COMMA || code === 93 || code === 125;

/** The place after digits and a point. */
function digitsEnd(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); (code >= 48 && code <= 57) || code === 46; code = text.charCodeAt(at)) at++;
  return at;
}

/** The quote that ends the string which begins at `start`. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

/** Whether the quote at this place is preceded by an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
  return slashes % 2 === 1;
}
