/** Sums over vectors in float64, in order: the same on every machine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

export const normOf = (values: Float32Array): number => Math.sqrt(dot(values, values));

export function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) {
    const difference = (a[at] as number) - (b[at] as number);
    sum += difference * difference;
  }
  return sum;
}

/** What an update changed. Distances are taken between these: between whole models they would drown in rounding. */
export function difference(values: Float32Array, base: Float32Array): Float32Array {
  const out = new Float32Array(values.length);
  for (let at = 0; at < out.length; at++) out[at] = (values[at] as number) - (base[at] as number);
  return out;
}

/** base + factor * delta, rounded once. */
export function moved(base: Float32Array, delta: Float32Array, factor: number): Float32Array {
  const out = new Float32Array(base.length);
  for (let at = 0; at < out.length; at++) out[at] = (base[at] as number) + factor * (delta[at] as number);
  return out;
}

/** The first place that holds no finite number; -1 when there is none. */
export function findNotFinite(values: Float32Array): number {
  return values.findIndex((value) => !Number.isFinite(value));
}

/** The median of the cosines between all pairs; 1 when there is one alone. Low: the updates point apart, not just a few of them. */
export function medianCosine(deltas: readonly Float32Array[]): number {
  const norms = deltas.map(normOf);
  const cosines: number[] = [];
  for (let a = 0; a < deltas.length; a++) {
    for (let b = a + 1; b < deltas.length; b++) {
      const scale = (norms[a] as number) * (norms[b] as number);
      cosines.push(scale === 0 ? 0 : dot(deltas[a] as Float32Array, deltas[b] as Float32Array) / scale);
    }
  }
  cosines.sort((x, y) => x - y);
  return cosines[(cosines.length - 1) >> 1] ?? 1;
}
