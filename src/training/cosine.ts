import { lengthsOf } from "./aggregate/measure.ts";

/** The median of the cosines between all pairs; 1 when there is one alone. Low: the updates point apart, not just a few of them. */
export function medianCosine(products: ReadonlyArray<Float64Array>, compared: readonly number[]): number {
  const lengths = lengthsOf(products);
  const cosines: number[] = [];
  for (const [place, a] of compared.entries()) {
    for (const b of compared.slice(place + 1)) {
      const scale = (lengths[a] as number) * (lengths[b] as number);
      cosines.push(scale === 0 ? 0 : (products[a]?.[b] ?? 0) / scale);
    }
  }
  cosines.sort((x, y) => x - y);
  return cosines[(cosines.length - 1) >> 1] ?? 1;
}
