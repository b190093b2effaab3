import { averaging } from "../strategies/averaging.ts";
import { allOf, type Strategy } from "../strategies/strategy.ts";
import { SecretRandom } from "./secret-random.ts";

/** Noise as it can be told to another thread. */
export interface NoisePlan {
  readonly name: "dp";
  /** The longest change that one participant can make; changes have been clipped to it. */
  readonly clip: number;
  /** The noise over the clip: z. */
  readonly multiplier: number;
  /** What the noise is drawn from. Whoever knows it can take the noise away. */
  readonly secret: string;
}

/** Central differential privacy: everybody counts alike, changes are clipped, and noise hides any one of them. */
export const privateMean = ({ clip, multiplier, secret }: NoisePlan): Strategy => ({
  ...averaging,
  name: "dp",
  refuses: (updates) => (updates < 2 ? "noise hides one among several; there is one update" : null),
  choose: (candidates) => ({ kind: "mean", places: allOf(candidates), weights: candidates.map(() => 1) }),
  step({ block, counted, values }) {
    const random = new SecretRandom(secret, block);
    const deviation = (multiplier * clip) / counted;
    for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) + deviation * random.gaussian();
  },
});
