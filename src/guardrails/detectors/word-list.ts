import type { Detector, Match } from "../detector.ts";

interface Node {
  readonly next: Map<string, Node>;
  isWord: boolean;
}

const newNode = (): Node => ({ next: new Map(), isWord: false });
const isLetter = (text: string, at: number): boolean => at >= 0 && at < text.length && LETTER.test(text.charAt(at));
/** Half of a pair of surrogates counts as a letter: a word does not begin or end inside a character. */
const LETTER = /[\p{L}\p{N}\p{M}\p{Cs}_]/u;

/** Words and phrases, without regard to case. `whole`: only where no letter or digit stands beside them. */
export class WordList implements Detector {
  private readonly root = newNode();
  private longest = 0;

  constructor(
    words: readonly string[],
    private readonly category: string,
    private readonly whole: boolean,
  ) {
    for (const word of words) this.add(word.trim());
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
    for (let start = Math.max(from, text.length - this.longest); start < text.length; start++)
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
    let at = start;
    for (; at < text.length; at++) {
      node = node.next.get(fold(text.charAt(at)));
      if (!node) return { end, unfinished: false };
      if (node.isWord && !(this.whole && isLetter(text, at + 1))) end = at + 1;
    }
    return { end, unfinished: node.next.size > 0 || (this.whole && node.isWord) };
  }
}

/** One character in lower case; one whose small form is longer stays as it is. */
function fold(char: string): string {
  const lower = char.toLowerCase();
  return lower.length === 1 ? lower : char;
}
