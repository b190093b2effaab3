import type { Detector, Match } from "../detector.ts";

interface Node {
  readonly next: Map<string, Node>;
  isWord: boolean;
}

const newNode = (): Node => ({ next: new Map(), isWord: false });
const isLetter = (text: string, at: number): boolean => at >= 0 && at < text.length && LETTER.test(text.charAt(at));
/** Half of a pair of surrogates counts as a letter: a word does not begin or end inside a character. */
const LETTER = /[\p{L}\p{N}\p{M}\p{Cs}_]/u;

/** A line may break inside a phrase, and text that was copied may have signs in it that nobody sees. */
const isBlank = (char: string): boolean => (char <= " " || char > "~") && /\s/.test(char);
const isUnseen = (char: string): boolean => /[\u00ad\u200b-\u200d\u2060\ufeff]/.test(char);
/** No more of these are passed over in one match, so that no more than that has to be held back. */
const PASSED_OVER_MAX = 32;

/** Words and phrases, without regard to case or to how blanks are written. `whole`: only where no letter or digit stands beside them. */
export class WordList implements Detector {
  private readonly root = newNode();
  private longest = 0;

  constructor(
    words: readonly string[],
    private readonly category: string,
    private readonly whole: boolean,
  ) {
    for (const word of words) this.add(word.trim().replace(/\s+/g, " "));
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
    for (let start = Math.max(from, text.length - this.longest - PASSED_OVER_MAX); start < text.length; start++)
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
    if (this.whole && isLetter(text, start - 1)) return { end: null, unfinished: false };
    let node: Node | undefined = this.root;
    let end: number | null = null;
    let left = PASSED_OVER_MAX;
    for (let at = start; at < text.length; at++) {
      const char = text.charAt(at);
      const next: Node | undefined = node.next.get(fold(char));
      if (!next) {
        const isPassedOver =
          at > start && left-- > 0 && (isUnseen(char) || (isBlank(char) && isBlank(text.charAt(at - 1))));
        if (isPassedOver) continue;
        return { end, unfinished: false };
      }
      node = next;
      if (node.isWord && !(this.whole && isLetter(text, at + 1))) end = at + 1;
    }
    return { end, unfinished: node.next.size > 0 || (this.whole && node.isWord) };
  }
}

/** One character in lower case, any blank as the same one; one whose small form is longer stays as it is. */
function fold(char: string): string {
  if (isBlank(char)) return " ";
  const lower = char.toLowerCase();
  return lower.length === 1 ? lower : char;
}
