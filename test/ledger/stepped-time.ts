import type { Clock } from "../../src/lib/clock.ts";
import type { Cancel, Timers } from "../../src/lib/timers.ts";

/** Time that passes when a test says so. */
export class SteppedTime implements Clock, Timers {
  private now = 1_763_000_000_000;
  private setMs = 0;
  private due: { at: number; work: () => void }[] = [];

  nowMs(): number {
    return this.now + this.setMs;
  }

  monotonicMs(): number {
    return this.now;
  }

  /** As somebody who sets the machine's clock: no time passes. */
  set(aheadMs: number): void {
    this.setMs += aheadMs;
  }

  after(ms: number, work: () => void): Cancel {
    const timer = { at: this.now + ms, work };
    this.due.push(timer);
    return () => {
      this.due = this.due.filter((other) => other !== timer);
    };
  }

  /** Runs what is due on the way, in its order, and lets what follows from it happen. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      const [next] = this.due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.due = this.due.filter((other) => other !== next);
      this.now = Math.max(this.now, next.at);
      next.work();
      await settle();
    }
    this.now = until;
    await settle();
  }
}

/** Everything that waits for nothing but promises has happened afterwards. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve();
}
