import type { Clock } from "../src/lib/clock.ts";

/** Time that stands still until a test steps it. */
export class SteppedClock implements Clock {
  private passedMs = 0;
  private startedAtMs = Date.now();

  nowMs(): number {
    return this.startedAtMs + this.passedMs;
  }

  monotonicMs(): number {
    return this.passedMs;
  }

  /** As somebody who sets the machine's clock: no time passes. */
  set(aheadMs: number): void {
    this.startedAtMs += aheadMs;
  }

  step(ms: number): void {
    this.passedMs += ms;
  }
}
