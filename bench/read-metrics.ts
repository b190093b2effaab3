/** A reading of `/metrics`. */
export interface Reading {
  /** The value of a series without labels; 0 where there is none. */
  value(name: string): number;
  /** Cumulated counts of a histogram by upper bound. */
  buckets(name: string): ReadonlyMap<number, number>;
}

export async function readMetrics(url: string, key: string): Promise<Reading> {
  const response = await fetch(`${url}/metrics`, { headers: { "x-gw-api-key": key } });
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
  const lines = (await response.text()).split("\n");
  return {
    value: (name) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(" ")[1] ?? 0),
    buckets(name) {
      const counts = new Map<number, number>();
      for (const line of lines) {
        const [, bound, count] = /^(?:\w+)_bucket\{le="([^"]+)"\} (\S+)$/.exec(line) ?? [];
        if (bound !== undefined && line.startsWith(`${name}_bucket`)) {
          counts.set(bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound), Number(count));
        }
      }
      return counts;
    },
  };
}

/** The smallest bound of the histogram under which that part of what came between two readings lies. */
export function percentileOf(before: Reading, after: Reading, name: string, part: number): number {
  const earlier = before.buckets(name);
  const counts = [...after.buckets(name)].map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)] as const);
  const total = counts.at(-1)?.[1] ?? 0;
  return counts.find(([, count]) => count >= total * part)?.[0] ?? 0;
}
