import { joiningEnds } from "./joining-ends.ts";
import { sortingNetwork } from "./sorting-network.ts";

type Pair = readonly [low: number, high: number];
/** Up to so many places every pattern of zeros and ones is tried, which shows pairs that nothing depends on. */
const TRIED_MAX = 12;

/**
 * Which pairs are put in order so that the numbers of rank `from` up to `to` lie in just these places, in any order among
 * themselves: the smaller ones lie before them and the larger ones behind. Less work than sorting.
 */
export function selectionNetwork(places: number, from: number, to: number): readonly Pair[] {
  const key = `${places} ${from} ${to}`;
  const pairs = known.get(key) ?? findNetwork(places, from, to);
  known.set(key, pairs);
  return pairs;
}

const known = new Map<string, readonly Pair[]>();

function findNetwork(places: number, from: number, to: number): readonly Pair[] {
  const sorting = [sortingNetwork(places), joiningEnds(places, from, to)];
  const candidates = sorting.map((pairs) => withoutEnd(pairs, places, from, to));
  const [best] = [...candidates, takingEnds(places, from, to)]
    .map((pairs) => (places <= TRIED_MAX ? withoutIdle(pairs, places, from, to) : pairs))
    .sort((a, b) => a.length - b.length);
  return best ?? [];
}

/** Leaves out what only puts places in order that end up on the same side anyway. */
function withoutEnd(pairs: readonly Pair[], places: number, from: number, to: number): Pair[] {
  const sides = Array.from({ length: places }, (_, place) => (place < from ? -1 : place < to ? 0 : 1));
  const touched = new Set<number>();
  const kept: Pair[] = [];
  for (const [low, high] of pairs.toReversed()) {
    if (sides[low] === sides[high] && !touched.has(low) && !touched.has(high)) continue;
    touched.add(low).add(high);
    kept.push([low, high]);
  }
  return kept.reverse();
}

/** Takes the smallest and the largest off, again and again; little work where few are left out. */
function takingEnds(places: number, from: number, to: number): Pair[] {
  const pairs: Pair[] = [];
  let [first, last] = [0, places - 1];
  while (first < from || last >= to) {
    for (let low = first, high = last; low < high; low++, high--) pairs.push([low, high]);
    const middle = (first + last) / 2;
    if (first < from) for (let at = Math.floor(middle); at > first; at--) pairs.push([at - 1, at]);
    if (last >= to) for (let at = Math.ceil(middle); at < last; at++) pairs.push([at, at + 1]);
    if (first < from) first++;
    if (last >= to) last--;
  }
  return pairs;
}

/** Leaves out, one by one from the end, every pair without which zeros and ones still come to their sides. */
function withoutIdle(pairs: readonly Pair[], places: number, from: number, to: number): Pair[] {
  const patterns = patternsOf(places);
  let kept = [...pairs];
  for (let at = kept.length - 1; at >= 0; at--) {
    const fewer = kept.toSpliced(at, 1);
    if (selects(fewer, patterns, places, from, to)) kept = fewer;
  }
  return kept;
}

/** For each place a row of bits: what stands there in every pattern of zeros and ones. */
function patternsOf(places: number): Uint32Array[] {
  const words = Math.max(1, 2 ** places / 32);
  return Array.from({ length: places }, (_, place) =>
    Uint32Array.from({ length: words }, (_, word) => {
      let bits = 0;
      for (let bit = 0; bit < 32; bit++) bits |= (((word * 32 + bit) >>> place) & 1) << bit;
      return bits;
    }),
  );
}

/** What sorts zeros and ones sorts everything, and what brings them to their sides does so with everything. */
function selects(
  pairs: readonly Pair[],
  patterns: readonly Uint32Array[],
  places: number,
  from: number,
  to: number,
): boolean {
  const wires = patterns.map((bits) => bits.slice());
  for (const [low, high] of pairs) {
    const [a, b] = [wires[low] as Uint32Array, wires[high] as Uint32Array];
    for (let word = 0; word < a.length; word++) {
      const both = (a[word] as number) & (b[word] as number);
      b[word] = (a[word] as number) | (b[word] as number);
      a[word] = both;
    }
  }
  const between = (one: Span, other: Span) => isBefore(wires.slice(...one), wires.slice(...other));
  return between([0, from], [from, to]) && between([from, to], [to, places]) && between([0, from], [to, places]);
}

type Span = [from: number, to: number];

/** Whether in no pattern a one stands on the first side while a zero stands on the second. */
function isBefore(first: readonly Uint32Array[], second: readonly Uint32Array[]): boolean {
  return first.every((a) => second.every((b) => a.every((bits, word) => (bits & ~(b[word] as number)) === 0)));
}
