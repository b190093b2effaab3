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
  readonly #byEnds = new Map<string, RegExp[]>();

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) {
      const parts = pattern.split(/\*+/);
      const [head = "", tail = ""] = [parts[0], parts.at(-1)];
      this.#shapes.set(`${head.length} ${tail.length}`, { head: head.length, tail: tail.length });
      const ends = `${head}*${tail}`;
      const alike = this.#byEnds.get(ends);
      if (alike) alike.push(expressionOf(parts));
      else this.#byEnds.set(ends, [expressionOf(parts)]);
    }
  }

  match(name: string): boolean {
    for (const { head, tail } of this.#shapes.values()) {
      if (head + tail > name.length) continue;
      const alike = this.#byEnds.get(`${name.slice(0, head)}*${name.slice(name.length - tail)}`);
      if (alike?.some((expression) => expression.test(name))) return true;
    }
    return false;
  }
}

/** As calls are matched: the whole name has to fit. */
function expressionOf(parts: readonly string[]): RegExp {
  const literal = parts.map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`, "s");
}
