import type { Clock } from "../../lib/clock.ts";

/** So many retries a call pays in for: a provider that is dead gets less than 1.2 times what is asked of it, floor and savings included. */
const SHARE = 0.15;
/** A few retries are always there, however few calls come. */
const FLOOR = 3;
const FLOOR_MS = 10_000;
/** What is saved up while all is well. */
const MOST = 20;

/** How many tries in vain this process still affords. Calls pay in, retries at deployments that have just failed draw. */
export class RetryBudget {
  private left = FLOOR;
  private filledAtMs: number;
  /** What calls have paid in beyond the floor: as long as there is some of it, the floor adds nothing. */
  private paidIn = 0;

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {
    this.filledAtMs = clock.monotonicMs();
  }

  /** A call has come. */
  deposit(): void {
    this.paidIn += SHARE;
    if (this.left < MOST) this.left += SHARE;
  }

  /** Whether one more try is affordable; it counts. */
  draw(): boolean {
    this.refill();
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }

  private refill(): void {
    const now = this.clock.monotonicMs();
    const owed = ((now - this.filledAtMs) / FLOOR_MS) * FLOOR;
    const grown = Math.max(0, owed - this.paidIn);
    this.filledAtMs = now;
    this.paidIn = Math.min(FLOOR, Math.max(0, this.paidIn - owed));
    if (this.left < FLOOR) this.left = Math.min(FLOOR, this.left + grown);
  }
}
