import { inMemory } from "../aggregate/values.ts";
import { weightedMean } from "../aggregate/weighted-mean.ts";
import { difference, moved } from "../vectors.ts";
import { idsOf, type Strategy, type Update } from "./strategy.ts";

const needsOne = (updates: number): string | null => (updates < 1 ? "there is no update to average" : null);

export const meanOf = (updates: readonly Update[]): Float32Array =>
  weightedMean(
    updates.map(({ values }) => inMemory(values)),
    updates.map(({ weight }) => weight),
  );

/** The mean of the models, weighted by examples. FedProx is this too: its term is the participants' own affair. */
export const fedAvg = (name = "fedavg"): Strategy => ({
  name,
  robust: false,
  refuses: needsOne,
  apply: (_, updates, state) => ({ values: meanOf(updates), state, counted: idsOf(updates) }),
});

/** FedAvg with momentum at the server. */
export const fedAvgM = ({
  momentum = 0.9,
  learningRate = 1,
}: {
  momentum?: number;
  learningRate?: number;
}): Strategy => ({
  name: "fedavgm",
  robust: false,
  refuses: needsOne,
  apply(global, updates, state) {
    const step = difference(meanOf(updates), global);
    const velocity = moved(step, state.get("velocity") ?? new Float32Array(global.length), momentum);
    const values = moved(global, velocity, learningRate);
    return { values, state: new Map([["velocity", velocity]]), counted: idsOf(updates) };
  },
});

/** Buffered asynchronous averaging: an update counts the less, the older the model that it began from. */
export const fedBuff = ({ learningRate = 1 }: { learningRate?: number } = {}): Strategy => ({
  name: "fedbuff",
  robust: false,
  refuses: needsOne,
  apply(global, updates, state) {
    const weighted = updates.map((update) => ({ ...update, weight: 1 / Math.sqrt(1 + (update.staleness ?? 0)) }));
    const values = moved(global, difference(meanOf(weighted), global), learningRate);
    return { values, state, counted: idsOf(updates) };
  },
});
