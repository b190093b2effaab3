import type { secagg } from "../../../sdk/typescript/src/index.ts";

/** Levels that a change of one participant is rounded to. */
const LEVELS = 2 ** 22;

/**
 * Whether so many participants who keep to the rules can have come to this sum: masked, a number can be anything, and one liar could
 * move a model as far as words of 32 bits go, or make all others' changes count a thousandfold by a small weight.
 */
export function isHonest(
  { meanAt, weight }: secagg.Sum,
  length: number,
  participants: number,
  { clip, maxWeight }: secagg.Scale,
): boolean {
  if (weight > participants * maxWeight) return false;
  // Each of them has rounded by half a level at most.
  const rounding = ((2 * clip) / LEVELS) * participants * (maxWeight / weight);
  for (let place = 0; place < length; place++) if (Math.abs(meanAt(place)) > clip + rounding) return false;
  return true;
}
