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
  /** What stands between the stars of each, in order. */
  readonly #byEnds = new Map<string, (readonly string[])[]>();

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) {
      const parts = pattern.split(/\*+/);
      const [head = "", tail = ""] = [parts[0], parts.at(-1)];
      this.#shapes.set(`${head.length} ${tail.length}`, { head: head.length, tail: tail.length });
      const ends = `${head}*${tail}`;
      const alike = this.#byEnds.get(ends);
      const between = parts.slice(1, -1);
      if (alike) alike.push(between);
      else this.#byEnds.set(ends, [between]);
    }
  }

  match(name: string): boolean {
    for (const { head, tail } of this.#shapes.values()) {
      if (head + tail > name.length) continue;
      const alike = this.#byEnds.get(`${name.slice(0, head)}*${name.slice(name.length - tail)}`);
      const rest = name.slice(head, name.length - tail);
      if (alike?.some((between) => holdsInOrder(rest, between))) return true;
    }
    return false;
  }
}

/** As calls are matched. The first place of each is the best: a regular expression would try all of them, for hours. */
function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
