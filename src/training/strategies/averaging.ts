import { allOf, type StepBlock, type Strategy } from "./strategy.ts";

const needsOne = (updates: number): string | null => (updates < 1 ? "there is no update to average" : null);

/** What every strategy has that takes the mean by examples. */
export const averaging = {
  robust: false,
  refuses: needsOne,
  compares: false,
  choose: (candidates) => ({
    kind: "mean",
    places: allOf(candidates),
    weights: candidates.map(({ weight }) => weight),
  }),
  memory: {},
  step: null,
} as const satisfies Omit<Strategy, "name">;

/** The mean of the models, weighted by examples. FedProx is this too: its term is the participants' own affair. */
export const fedAvg = (name = "fedavg"): Strategy => ({ ...averaging, name });

/** FedAvg with momentum at the server. */
export const fedAvgM = ({
  momentum = 0.9,
  learningRate = 1,
}: {
  momentum?: number;
  learningRate?: number;
}): Strategy => ({
  ...averaging,
  name: "fedavgm",
  memory: { velocity: 0 },
  step({ global, values, memory }) {
    const velocity = memory.velocity as Float32Array;
    for (let at = 0; at < values.length; at++) {
      const change = Math.fround((values[at] as number) - (global[at] as number));
      velocity[at] = change + momentum * (velocity[at] as number);
      values[at] = (global[at] as number) + learningRate * (velocity[at] as number);
    }
  },
});

/** Buffered asynchronous averaging: an update counts the less, the older the model that it began from. */
export const fedBuff = ({ learningRate = 1 }: { learningRate?: number } = {}): Strategy => ({
  ...averaging,
  name: "fedbuff",
  choose: (candidates) => ({
    kind: "mean",
    places: allOf(candidates),
    weights: candidates.map(({ staleness = 0 }) => 1 / Math.sqrt(1 + staleness)),
  }),
  step: moveBy(learningRate),
});

/** Goes part of the way from the global model to the mean. */
function moveBy(factor: number): (block: StepBlock) => void {
  return ({ global, values }) => {
    for (let at = 0; at < values.length; at++) {
      const change = Math.fround((values[at] as number) - (global[at] as number));
      values[at] = (global[at] as number) + factor * change;
    }
  };
}
