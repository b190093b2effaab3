import { medianRanks, trimmedRanks } from "../aggregate/ranked-mean.ts";
import { allOf, type Strategy } from "./strategy.ts";

const ranking = { robust: true, compares: false, memory: {}, step: null } as const;

/** The median at every place. */
export const median = (): Strategy => ({
  ...ranking,
  name: "median",
  refuses: (updates) => (updates < 3 ? "a median needs three updates or more" : null),
  choose: (candidates) => ({ kind: "ranks", places: allOf(candidates), ranks: medianRanks(candidates.length) }),
});

/** The mean at every place without the `f` smallest and the `f` largest. */
export const trimmedMean = (f: number): Strategy => ({
  ...ranking,
  name: "trimmed_mean",
  refuses: (updates) =>
    f < 1 || updates <= 2 * f
      ? `leaving out ${f} at each end needs more than ${2 * f} updates, and f of 1 or more`
      : null,
  choose: (candidates) => ({ kind: "ranks", places: allOf(candidates), ranks: trimmedRanks(candidates.length, f) }),
});

/** Krum: the one update that is nearest to its neighbours; multi-Krum: the mean of the `keep` nearest ones. */
export function krum(f: number, keep = 1): Strategy {
  return {
    ...ranking,
    name: keep === 1 ? "krum" : "multi_krum",
    compares: true,
    refuses(updates) {
      if (f < 1 || updates < 2 * f + 3)
        return `Krum against ${f} needs ${2 * f + 3} updates or more, and f of 1 or more`;
      return keep > updates - f ? `of ${updates} updates no more than ${updates - f} can be kept` : null;
    },
    choose(_, products) {
      const places = krumScores(products, f)
        .map((score, at) => ({ at, score }))
        .sort((a, b) => a.score - b.score || a.at - b.at)
        .slice(0, keep)
        .map(({ at }) => at)
        .sort((a, b) => a - b);
      return { kind: "mean", places, weights: places.map(() => 1) };
    },
  };
}

/**
 * The sum of the squared distances to the n - f - 2 nearest others, from the dot products of all changes. They are products of
 * changes, in float64: of whole models the distances would drown in rounding.
 */
export function krumScores(products: ReadonlyArray<Float64Array>, f: number): number[] {
  const product = (a: number, b: number) => products[a]?.[b] ?? 0;
  return products.map((row, own) => {
    const distances = row.map((dot, other) => Math.max(0, product(own, own) + product(other, other) - 2 * dot));
    const others = distances.filter((_, at) => at !== own).sort();
    return others.subarray(0, products.length - f - 2).reduce((sum, distance) => sum + distance, 0);
  });
}
