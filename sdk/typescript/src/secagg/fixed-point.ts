/**
 * The largest number that one participant adds in a place, of 22 bits. It is even, so that no change is the level in the middle and
 * stays none: what half a level is off would add up, round after round.
 */
const LEVEL_MAX = 2 ** 22 - 2;
const MIDDLE = LEVEL_MAX / 2;
/** So many sums of 22 bits fit into a word of 32. */
export const PARTICIPANTS_MAX = 1024;
/** Sums of so large weights fit too. */
export const WEIGHT_MAX = 2 ** 22 - 1;

export interface Scale {
  /** Changes are cut to -clip .. clip. */
  readonly clip: number;
  /** What weights are divided by. */
  readonly maxWeight: number;
}

/** What training changed, in pieces, each of which is valid until the next. */
export interface Change {
  readonly length: number;
  readonly pieces: Iterable<ArrayLike<number>>;
}

/**
 * A change as words: every number clipped, times weight / maxWeight, rounded to one of 2^22 levels; the weight itself comes last.
 * Nothing but float64 steps in this order, so that every language gets the same words.
 */
export function toWords({ length, pieces }: Change, weight: number, { clip, maxWeight }: Scale): Uint32Array {
  const words = new Uint32Array(length + 1);
  const share = weight / maxWeight;
  const step = LEVEL_MAX / (2 * clip);
  let place = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at++, place++) {
      const value = Math.min(clip, Math.max(-clip, piece[at] as number));
      words[place] = Math.floor((share * value + clip) * step + 0.5);
    }
  }
  words[length] = weight;
  return words;
}

export interface Sum {
  /** The mean change at a place, weighted. */
  meanAt(place: number): number;
  /** Zero where nobody had a weight; then there is no mean. */
  readonly weight: number;
}

/** What the summed words of so many participants say. */
export function fromWords(words: Uint32Array, participants: number, { clip, maxWeight }: Scale): Sum {
  const weight = words[words.length - 1] ?? 0;
  const [level, none, share] = [(2 * clip) / LEVEL_MAX, participants * MIDDLE, weight / maxWeight];
  return { weight, meanAt: (place) => (((words[place] as number) - none) * level) / share };
}
