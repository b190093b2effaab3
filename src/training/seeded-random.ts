import { createHash } from "node:crypto";

/** What can be drawn, from wherever the bits come. */
export abstract class Draws {
  private spare: number | null = null;

  /** 32 random bits. */
  abstract bits(): number;

  /** From 0 up to 1, with 53 bits. */
  uniform(): number {
    return ((this.bits() >>> 5) * 2 ** 26 + (this.bits() >>> 6)) / 2 ** 53;
  }

  /** From 0 up to below `bound`. */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  /** Normally distributed, with variance one. */
  gaussian(): number {
    if (this.spare !== null) {
      const spare = this.spare;
      this.spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** `count` of the items, each set as likely as any other; in the order of the items. */
  sample<T>(items: readonly T[], count: number): T[] {
    // Only the places that were swapped are written down: of a million items few are looked at.
    const swapped = new Map<number, number>();
    const chosen = Array.from({ length: Math.min(count, items.length) }, (_, at) => {
      const other = at + this.below(items.length - at);
      const place = swapped.get(other) ?? other;
      swapped.set(other, swapped.get(at) ?? at);
      return place;
    });
    return chosen.sort((a, b) => a - b).map((at) => items[at] as T);
  }
}

/** Random numbers that can be drawn again from the same words: xoshiro128**, seeded by their hash. Whoever knows the words draws the same. */
export class SeededRandom extends Draws {
  private readonly state: Uint32Array;

  constructor(...words: ReadonlyArray<string | number>) {
    super();
    const hash = createHash("sha256").update(JSON.stringify(words)).digest();
    this.state = Uint32Array.from({ length: 4 }, (_, at) => hash.readUInt32LE(at * 4));
  }

  bits(): number {
    const s = this.state;
    const [a, b, c, d] = s as unknown as [number, number, number, number];
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    s[2] = c ^ a;
    s[3] = d ^ b;
    s[1] = b ^ (s[2] as number);
    s[0] = a ^ (s[3] as number);
    s[2] = (s[2] as number) ^ (b << 9);
    s[3] = rotate(s[3] as number, 11);
    return result;
  }
}

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));
