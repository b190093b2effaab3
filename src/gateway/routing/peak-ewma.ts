/**
 * How long a deployment takes, as a moving average that believes bad news at once and good news slowly: a longer time
 * replaces the average, shorter ones wear it down. `decayMs` is how long old news counts.
 */
export class PeakAverage {
  private valueMs = 0;
  private atMs = Number.NEGATIVE_INFINITY;

  /** The average as it was when something was last heard; 0 where nothing was. */
  get lastMs(): number {
    return this.valueMs;
  }

  observe(sampleMs: number, nowMs: number, decayMs: number): void {
    const kept = Math.exp((this.atMs - nowMs) / decayMs);
    this.valueMs = sampleMs > this.valueMs ? sampleMs : this.valueMs * kept + sampleMs * (1 - kept);
    this.atMs = nowMs;
  }

  /** What is not heard of for long, or never was, is taken to be as usual: neither flooded nor starved. */
  estimateMs(usualMs: number, nowMs: number, decayMs: number): number {
    const kept = Math.exp((this.atMs - nowMs) / decayMs);
    return this.valueMs * kept + usualMs * (1 - kept);
  }

  forget(): void {
    this.valueMs = 0;
    this.atMs = Number.NEGATIVE_INFINITY;
  }
}
