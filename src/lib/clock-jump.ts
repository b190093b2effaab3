import type { Clock } from "./clock.ts";

/** What differs less is a clock that is being kept right. */
const NOTICED_MS = 5_000;

/** Notices that the time of day was set, by the clock that nobody sets. Times in the database mean something else since then. */
export class ClockJumpDetector {
  private aheadMs: number;
  private setAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {
    this.aheadMs = this.ahead();
  }

  /** To be asked every moment: it compares with what it was the last time. */
  wasSetWithin(ms: number): boolean {
    const aheadMs = this.ahead();
    const now = this.clock.monotonicMs();
    if (Math.abs(aheadMs - this.aheadMs) >= NOTICED_MS) this.setAtMs = now;
    this.aheadMs = aheadMs;
    return now - this.setAtMs < ms;
  }

  private ahead(): number {
    return this.clock.nowMs() - this.clock.monotonicMs();
  }
}
