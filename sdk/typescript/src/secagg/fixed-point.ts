/** The largest number that one participant adds in a place: 22 bits. */
const LEVEL_MAX = 2 ** 22 - 1;
/** So many sums of 22 bits fit into a word of 32. */
export const PARTICIPANTS_MAX = 1024;
/** Sums of so large weights fit too. */
export const WEIGHT_MAX = LEVEL_MAX;

export interface Scale {
  /** Changes are cut to -clip .. clip. */
  readonly clip: number;
  /** What weights are divided by. */
  readonly maxWeight: number;
}

/**
 * A change as words: every number clipped, times weight / maxWeight, rounded to one of 2^22 levels; the weight itself comes last.
 * Nothing but float64 steps in this order, so that every language gets the same words.
 */
export function toWords(change: ArrayLike<number>, weight: number, { clip, maxWeight }: Scale): Uint32Array {
  const words = new Uint32Array(change.length + 1);
  const share = weight / maxWeight;
  const step = LEVEL_MAX / (2 * clip);
  for (let at = 0; at < change.length; at++) {
    const value = Math.min(clip, Math.max(-clip, change[at] as number));
    words[at] = Math.floor((share * value + clip) * step + 0.5);
  }
  words[change.length] = weight;
  return words;
}

export interface Sum {
  /** The mean change, weighted; null when nobody had a weight. */
  readonly mean: Float64Array | null;
  readonly weight: number;
}

/** What the summed words of so many participants say. */
export function fromWords(words: Uint32Array, participants: number, { clip, maxWeight }: Scale): Sum {
  const weight = words[words.length - 1] ?? 0;
  if (weight === 0) return { mean: null, weight };
  const mean = new Float64Array(words.length - 1);
  const [step, zero, share] = [(2 * clip) / LEVEL_MAX, participants * clip, weight / maxWeight];
  for (let at = 0; at < mean.length; at++) mean[at] = ((words[at] as number) * step - zero) / share;
  return { mean, weight };
}
