/** A name in which each `*` stands for any text, also for none. */
export const isWildcard = (name: string): boolean => name.includes("*");

/**
 * What the stars of a pattern stand for in a name, or null. The whole name must fit: `*-mini` does not match
 * `gpt-4o-mini-tts`. An earlier star takes as much as it can. There is no regular expression here, so that no name,
 * however long or odd, takes more than a walk from its end to its beginning.
 */
export function matchWildcard(pattern: string, name: string): string[] | null {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return pattern === name ? [] : null;
  let end = name.length - tail.length;
  if (end < head.length || !name.startsWith(head) || !name.endsWith(tail)) return null;
  const captures: string[] = [];
  for (const part of rest.reverse()) {
    const last = end - part.length;
    const at = last < head.length ? -1 : name.lastIndexOf(part, last);
    if (at < head.length) return null;
    captures.push(name.slice(at + part.length, end));
    end = at;
  }
  captures.push(name.slice(head.length, end));
  return captures.reverse();
}

/** Puts texts in place of the stars, in order; where there are more stars than texts the last one stands again. */
export function fillWildcard(template: string, captures: readonly string[]): string {
  const [head = "", ...rest] = template.split("*");
  return rest.reduce((text, part, index) => text + (captures[index] ?? captures.at(-1) ?? "") + part, head);
}

export const countStars = (text: string): number => text.split("*").length - 1;

/** The longer pattern is the more exact one; of two as long, the one with more that is not a letter or digit. */
export const moreExactFirst = (a: string, b: string): number =>
  b.length - a.length || specialCharacters(b) - specialCharacters(a);

const specialCharacters = (text: string): number => text.replace(/[\p{L}\p{N}]/gu, "").length;
