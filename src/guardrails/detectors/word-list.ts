import { type Detector, type Match, narrow } from "../detector.ts";
import { visibleOnly } from "../invisible-characters.ts";
import { isAlphanumeric } from "./characters.ts";

interface Node {
  readonly next: Map<string, Node>;
  isWord: boolean;
}

const newNode = (): Node => ({ next: new Map(), isWord: false });

/**
 * Scripts that have no blanks between words, where nobody could tell a word from those beside it, and what makes a picture of
 * the sign before it.
 */
const LETTER =
  /[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\ufe00-\ufe0f\u20e3]]/v;
const isLetter = (code: number): boolean =>
  code < 128 ? isAlphanumeric(code) : LETTER.test(String.fromCodePoint(code));

const isFirstHalf = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isSecondHalf = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;
const isInsideOne = (text: string, at: number): boolean =>
  isSecondHalf(text.charCodeAt(at)) && isFirstHalf(text.charCodeAt(at - 1));

/** Markdown has up to so many of them around words; between two letters they are a part of a name. */
const UNDERSCORES_MAX = 3;

/** A word does not begin inside a character. */
function followsLetter(text: string, start: number): boolean {
  if (isInsideOne(text, start)) return true;
  let at = start;
  while (start - at < UNDERSCORES_MAX && text[at - 1] === "_") at--;
  return at > 0 && isLetter(text.codePointAt(isInsideOne(text, at - 1) ? at - 2 : at - 1) ?? 0);
}

/** Nor does it end inside one. Null where more text would tell. */
function precedesLetter(text: string, end: number): boolean | null {
  if (isInsideOne(text, end)) return true;
  let at = end;
  while (at - end < UNDERSCORES_MAX && text[at] === "_") at++;
  if (at === text.length || (at === text.length - 1 && isFirstHalf(text.charCodeAt(at)))) return null;
  return isLetter(text.codePointAt(at) ?? 0);
}

/** A line may break inside a phrase, and text that was copied may have signs in it that nobody sees. */
const isBlank = (char: string): boolean => (char <= " " || char > "~") && /\s/.test(char);
const isUnseen = (char: string): boolean => /[\u00ad\u200b-\u200d\u2060\ufeff]/.test(char);
/** No more of these are passed over in one match, so that no more than that has to be held back. */
const PASSED_OVER_MAX = 32;

/**
 * Words and phrases, without regard to case or to how blanks are written. `whole`: only where no letter or digit stands beside
 * them, in scripts that have blanks between words.
 */
export class WordList implements Detector {
  private readonly root = newNode();
  private longest = 0;

  constructor(
    words: readonly string[],
    private readonly category: string,
    private readonly whole: boolean,
  ) {
    for (const word of words) {
      const written = narrow(word).trim().replace(/\s+/g, " ");
      this.add(written);
      this.add(visibleOnly(written));
    }
  }

  next(text: string, from: number): Match | null {
    for (let start = from; start < text.length; start++) {
      if (!this.root.next.has(fold(text.charAt(start)))) continue;
      const { end } = this.walk(text, start);
      if (end !== null) return { category: this.category, start, end };
    }
    return null;
  }

  open(text: string, from: number): number {
    const reach = this.longest + PASSED_OVER_MAX + UNDERSCORES_MAX + 1;
    for (let start = Math.max(from, text.length - reach); start < text.length; start++)
      if (this.walk(text, start).unfinished) return start;
    return text.length;
  }

  private add(word: string): void {
    if (word === "") return;
    let node = this.root;
    for (const char of word.split("")) {
      const next: Node = node.next.get(fold(char)) ?? newNode();
      node.next.set(fold(char), next);
      node = next;
    }
    node.isWord = true;
    this.longest = Math.max(this.longest, word.length);
  }

  /** The longest word that begins here, and whether more text could make a longer one or undo this one. */
  private walk(text: string, start: number): { end: number | null; unfinished: boolean } {
    if (this.whole && followsLetter(text, start)) return { end: null, unfinished: false };
    let node: Node = this.root;
    let end: number | null = null;
    let isOpen = false;
    let left = PASSED_OVER_MAX;
    for (let at = start; at < text.length; at++) {
      const char = text.charAt(at);
      const next = node.next.get(fold(char));
      if (!next) {
        const isPassedOver =
          at > start && left-- > 0 && (isUnseen(char) || (isBlank(char) && isBlank(text.charAt(at - 1))));
        if (isPassedOver) continue;
        return { end, unfinished: isOpen };
      }
      node = next;
      const joined = node.isWord && (this.whole ? precedesLetter(text, at + 1) : false);
      if (!node.isWord || joined) continue;
      end = at + 1;
      isOpen = joined === null;
    }
    return { end, unfinished: node.next.size > 0 || isOpen };
  }
}

/** One character in lower case, any blank as the same one; one whose small form is longer stays as it is. */
function fold(char: string): string {
  if (isBlank(char)) return " ";
  const lower = char.toLowerCase();
  return lower.length === 1 ? lower : char;
}
