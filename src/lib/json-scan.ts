/** Finds values in JSON text without parsing all of it: a large answer that only passes is not built in memory. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Further than this from either end, a scan would cost as much as a parse. */
const SCAN_CHARS_MAX = 65_536;

/**
 * Where the value of a top-level key lies in the text of a JSON object, or null when that cannot be told cheaply. Keys are
 * looked for near the beginning and near the end, which is where answers have their `model` and their `usage`.
 */
export function findTopLevel(text: string, key: string): Span | null {
  return findFromStart(text, key) ?? findFromEnd(text, key);
}

/**
 * The same in bytes. Only both ends are looked at: searching all of 3 MB for a name that stands at its end takes longer than
 * everything else that is done with it.
 */
export function findTopLevelBytes(bytes: Buffer, key: string): Span | null {
  // One character for each byte: what makes the form of JSON is the same in both, and so are the places.
  const start = findFromStart(bytes.toString("latin1", 0, SCAN_CHARS_MAX), key);
  if (start) return start;
  const from = Math.max(0, bytes.length - SCAN_CHARS_MAX);
  const found = findFromEnd(bytes.toString("latin1", from), key);
  return found && { start: from + found.start, end: from + found.end };
}

/** The same, told by what precedes the value alone. */
export function findFromStart(text: string, key: string): Span | null {
  const token = `"${key}"`;
  const first = text.indexOf(token);
  if (first < 0 || first > SCAN_CHARS_MAX || depthBefore(text, first) !== 1) return null;
  return valueAfter(text, first + token.length);
}

/** The same, told by what follows the value alone. */
export function findFromEnd(text: string, key: string): Span | null {
  const token = `"${key}"`;
  for (
    let at = text.lastIndexOf(token);
    at >= 0 && text.length - at <= SCAN_CHARS_MAX;
    at = text.lastIndexOf(token, at - 1)
  ) {
    // Behind a backslash the quote is the middle of a longer key.
    const value = text.charCodeAt(at - 1) === 92 ? null : valueAfter(text, at + token.length);
    if (value && closesAfter(text, value.end)) return value;
    if (at === 0) break;
  }
  return null;
}

/** The nesting at a place outside of strings, counted from the beginning; -1 inside a string. */
function depthBefore(text: string, place: number): number {
  let depth = 0;
  for (let at = 0; at < place; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const end = stringEnd(text, at);
      if (end < 0 || end > place) return -1;
      at = end - 1;
    } else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) depth--;
  }
  return depth;
}

/** Whether the rest of the text closes exactly one object: then what stands before it is at the top level. */
function closesAfter(text: string, from: number): boolean {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const end = stringEnd(text, at);
      if (end < 0) return false;
      at = end - 1;
    } else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) {
      depth--;
      if (depth < 0) return code === 125 && text.slice(at + 1).trim() === "";
    }
  }
  return false;
}

/** The value after a key's closing quote; null when no colon follows, so that it was no key. */
function valueAfter(text: string, place: number): Span | null {
  const colon = skipSpace(text, place);
  if (text.charCodeAt(colon) !== 58) return null;
  const start = skipSpace(text, colon + 1);
  const end = valueEnd(text, start);
  return end < 0 ? null : { start, end };
}

function valueEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === 34) return stringEnd(text, start);
  if (code !== 123 && code !== 91) {
    let at = start;
    while (at < text.length && !",}] \n\r\t".includes(text.charAt(at))) at++;
    return at > start ? at : -1;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const here = text.charCodeAt(at);
    if (here === 34) {
      const end = stringEnd(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (here === 123 || here === 91) depth++;
    else if ((here === 125 || here === 93) && --depth === 0) return at + 1;
  }
  return -1;
}

/** The place after the closing quote of the string that begins at `start`; -1 where it does not end. */
export function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return -1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \n\r\t".includes(text.charAt(at))) at++;
  return at;
}

export const splice = (text: string, span: Span, replacement: string): string =>
  text.slice(0, span.start) + replacement + text.slice(span.end);
