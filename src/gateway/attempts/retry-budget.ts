import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";

/** So many retries a call pays in for: a provider that is dead gets less than 1.2 times what is asked of it, floor and savings included. */
const SHARE = 0.15;
/** A few retries are always there, however few calls come. */
const FLOOR = 3;
const FLOOR_MS = 10_000;
/** What is saved up while all is well. */
const MOST = 20;

/** How many tries in vain at one group this process still affords. Calls pay in, retries at deployments that have just failed draw. */
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

/** Groups come and go with the configuration: those that were named first are forgotten beyond this. */
const GROUPS_MAX = 10_000;

/** A budget for each group, so that one that is dead takes no retries from the others. Models behind a pattern share that of the pattern. */
export class RetryBudgets {
  private readonly byGroup = new BoundedMap<string, RetryBudget>(GROUPS_MAX);

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  of(group: string): RetryBudget {
    const known = this.byGroup.get(group);
    if (known) return known;
    const made = new RetryBudget(this.clock);
    this.byGroup.set(group, made);
    return made;
  }
}
