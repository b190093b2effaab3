/** A set of characters. */
export type CharSet = (code: number) => boolean;

/** The set that a pattern for one character describes, such as `/[0-9a-f]/`. Of others than ASCII's it has those of `beyond`. */
export function charSet(one: RegExp, beyond: CharSet = () => false): CharSet {
  const table = Array.from({ length: 128 }, (_, code) => one.test(String.fromCharCode(code)));
  return (code) => (code < 128 ? table[code] === true : beyond(code));
}

/**
 * What stands in place of a blank or a dash in texts that were typeset, for a class of a pattern: blanks at which no line is
 * broken, dashes of all lengths, the minus, and signs that nobody sees.
 */
export const TYPESET_BREAKS = "\\u00a0\\u00ad\\u2000-\\u2015\\u202f\\u2060\\u2212\\ufeff";
export const isTypesetBreak: CharSet = (code) =>
  (code >= 0x2000 && code <= 0x2015) || [0xa0, 0xad, 0x202f, 0x2060, 0x2212, 0xfeff].includes(code);
/** Between the groups of a number. */
export const isBreak = charSet(/[ -]/, isTypesetBreak);

export const isDigit = charSet(/[0-9]/);
export const isAlphanumeric = charSet(/[A-Za-z0-9]/);
export const isWordChar = charSet(/\w/);

/** Whether so many such characters stand side by side. Of words that are shorter only a few characters are looked at. */
export function hasRun(text: string, from: number, isInside: CharSet, length: number): boolean {
  let start = from;
  while (start + length <= text.length) {
    let at = start + length - 1;
    while (at >= start && isInside(text.charCodeAt(at))) at--;
    if (at < start) return true;
    start = at + 1;
  }
  return false;
}

/** Where the run of such characters at the end of a text begins, looked at no further back than `reach` or `from`. */
export function trailingRun(text: string, from: number, isInside: CharSet, reach: number): number {
  const least = Math.max(from, text.length - reach);
  let start = text.length;
  while (start > least && isInside(text.charCodeAt(start - 1))) start--;
  return start;
}
