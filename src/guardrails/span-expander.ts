import { isInsideSurrogatePair } from "./stages/surrogate-pair.ts";
import { cutAtPlaceholders, type Vault } from "./vault.ts";

/** Gives places of a text, from its beginning to its end, with all of a placeholder or a character that they cut in two. */
export class SpanExpander {
  /** Where placeholders begin and end. */
  private readonly borders: number[] = [];
  private next = 0;

  constructor(
    private readonly text: string,
    vault: Vault | null,
  ) {
    let at = 0;
    for (const [index, part] of vault === null ? [] : cutAtPlaceholders(vault, text).entries()) {
      if (index > 0) this.borders.push(at);
      at += part.length;
    }
  }

  of(start: number, end: number): [start: number, end: number] {
    const { borders, text } = this;
    while (this.next < borders.length && (borders[this.next + 1] as number) <= start) this.next += 2;
    let [first, last] = [start, end];
    for (let at = this.next; at < borders.length && (borders[at] as number) < last; at += 2) {
      first = Math.min(first, borders[at] as number);
      last = Math.max(last, borders[at + 1] as number);
    }
    if (isInsideSurrogatePair(text, first)) first--;
    return [first, isInsideSurrogatePair(text, last) ? Math.min(last + 1, text.length) : last];
  }
}
