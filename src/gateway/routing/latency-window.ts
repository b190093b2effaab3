interface Sample {
  readonly value: number;
  readonly atMs: number;
}

/** The last so many latencies of a deployment, for the strategy that goes by their mean. */
export class LatencyList {
  private samples: Sample[] = [];

  add(value: number, atMs: number, sizeMax: number): void {
    this.samples.push({ value, atMs });
    while (this.samples.length > Math.max(1, sizeMax)) this.samples.shift();
  }

  /** Of those that are not older than `ttlMs`; 0 where there is none, so that a new deployment is tried. */
  mean(nowMs: number, ttlMs: number): number {
    let sum = 0;
    let count = 0;
    for (const { value, atMs } of this.samples) {
      if (nowMs - atMs > ttlMs) continue;
      sum += value;
      count++;
    }
    return count === 0 ? 0 : sum / count;
  }
}
