/** A set of ASCII characters; any other is never in it. */
export type CharSet = (code: number) => boolean;

/** The set that a pattern for one character describes, such as `/[0-9a-f]/`. */
export function charSet(one: RegExp): CharSet {
  const table = Array.from({ length: 128 }, (_, code) => one.test(String.fromCharCode(code)));
  return (code) => table[code] === true;
}

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
