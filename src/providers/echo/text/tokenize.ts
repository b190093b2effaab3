/**
 * Words and punctuation with the space before them, in pieces of at most six characters; numbers in groups of three;
 * runs of white space. Each character is in exactly one class, so the pieces joined are the text again.
 */
const PIECE = / ?[\p{L}\p{M}]{1,6}| ?\p{N}{1,3}| ?[^\s\p{L}\p{M}\p{N}]{1,6}|\s{1,6}/gu;

export function tokenize(text: string): string[] {
  return text.match(PIECE) ?? [];
}

export function countTokens(text: string): number {
  return tokenize(text).length;
}
