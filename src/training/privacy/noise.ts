import { inMemory } from "../aggregate/values.ts";
import { weightedMean } from "../aggregate/weighted-mean.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { idsOf, type Strategy } from "../strategies/strategy.ts";
import { clipUpdate } from "./clip.ts";

interface NoiseOptions {
  /** The longest change that one participant can make. */
  readonly clip: number;
  /** The noise over the clip: z. */
  readonly multiplier: number;
  readonly random: SeededRandom;
}

/** Central differential privacy: everybody counts alike, changes are clipped, and noise hides any one of them. */
export const privateMean = ({ clip, multiplier, random }: NoiseOptions): Strategy => ({
  name: "dp",
  robust: false,
  refuses: (updates) => (updates < 2 ? "noise hides one among several; there is one update" : null),
  apply(global, updates, state) {
    const clipped = updates.map(({ values }) => inMemory(clipUpdate(values, global, clip)));
    const mean = weightedMean(
      clipped,
      updates.map(() => 1),
    );
    const deviation = (multiplier * clip) / updates.length;
    const values = mean.map((value) => value + deviation * random.gaussian());
    return { values, state, counted: idsOf(updates) };
  },
});
