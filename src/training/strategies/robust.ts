import { medianRanks, rankedMean, trimmedRanks } from "../aggregate/ranked-mean.ts";
import { inMemory } from "../aggregate/values.ts";
import { difference, squaredDistance } from "../vectors.ts";
import { meanOf } from "./averaging.ts";
import { idsOf, type Strategy, type Update } from "./strategy.ts";

const sourcesOf = (updates: readonly Update[]) => updates.map(({ values }) => inMemory(values));

/** The median at every place. */
export const median = (): Strategy => ({
  name: "median",
  robust: true,
  refuses: (updates) => (updates < 3 ? "a median needs three updates or more" : null),
  apply: (_, updates, state) => ({
    values: rankedMean(sourcesOf(updates), medianRanks(updates.length)),
    state,
    counted: idsOf(updates),
  }),
});

/** The mean at every place without the `f` smallest and the `f` largest. */
export const trimmedMean = (f: number): Strategy => ({
  name: "trimmed_mean",
  robust: true,
  refuses: (updates) =>
    f < 1 || updates <= 2 * f
      ? `leaving out ${f} at each end needs more than ${2 * f} updates, and f of 1 or more`
      : null,
  apply: (_, updates, state) => ({
    values: rankedMean(sourcesOf(updates), trimmedRanks(updates.length, f)),
    state,
    counted: idsOf(updates),
  }),
});

/** Krum: the one update that is nearest to its neighbours; multi-Krum: the mean of the `keep` nearest ones. */
export function krum(f: number, keep = 1): Strategy {
  return {
    name: keep === 1 ? "krum" : "multi_krum",
    robust: true,
    refuses(updates) {
      if (f < 1 || updates < 2 * f + 3)
        return `Krum against ${f} needs ${2 * f + 3} updates or more, and f of 1 or more`;
      return keep > updates - f ? `of ${updates} updates no more than ${updates - f} can be kept` : null;
    },
    apply(global, updates, state) {
      const scores = krumScores(
        updates.map(({ values }) => difference(values, global)),
        f,
      );
      const chosen = updates
        .map((update, at) => ({ update, at, score: scores[at] as number }))
        .sort((a, b) => a.score - b.score || a.at - b.at)
        .slice(0, keep)
        .sort((a, b) => a.at - b.at)
        .map(({ update }) => ({ ...update, weight: 1 }));
      return { values: meanOf(chosen), state, counted: idsOf(chosen) };
    },
  };
}

/** The sum of the squared distances to the n - f - 2 nearest others. */
export function krumScores(deltas: readonly Float32Array[], f: number): number[] {
  const count = deltas.length;
  const distances = deltas.map(() => new Float64Array(count));
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      const distance = squaredDistance(deltas[a] as Float32Array, deltas[b] as Float32Array);
      (distances[a] as Float64Array)[b] = distance;
      (distances[b] as Float64Array)[a] = distance;
    }
  }
  return distances.map((row, own) => {
    const others = row.filter((_, at) => at !== own).sort();
    return others.subarray(0, count - f - 2).reduce((sum, distance) => sum + distance, 0);
  });
}
