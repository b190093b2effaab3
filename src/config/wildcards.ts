import { matchWildcard } from "../lib/wildcard.ts";

/** How many characters a pattern has before its first star and after its last one. */
interface Shape {
  readonly head: number;
  readonly tail: number;
}

/**
 * Names with stars, by what stands before the first and after the last: a name is compared only with those that begin and end
 * as it does. There may be thousands of both, and few of them differ in how long their ends are.
 */
export class Wildcards {
  readonly #shapes = new Map<string, Shape>();
  readonly #byEnds = new Map<string, string[]>();

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) {
      const head = pattern.slice(0, pattern.indexOf("*"));
      const tail = pattern.slice(pattern.lastIndexOf("*") + 1);
      this.#shapes.set(`${head.length} ${tail.length}`, { head: head.length, tail: tail.length });
      const ends = `${head}*${tail}`;
      const alike = this.#byEnds.get(ends);
      if (alike) alike.push(pattern);
      else this.#byEnds.set(ends, [pattern]);
    }
  }

  match(name: string): boolean {
    for (const { head, tail } of this.#shapes.values()) {
      if (head + tail > name.length) continue;
      const alike = this.#byEnds.get(`${name.slice(0, head)}*${name.slice(name.length - tail)}`);
      if (alike?.some((pattern) => matchWildcard(pattern, name) !== null)) return true;
    }
    return false;
  }
}
