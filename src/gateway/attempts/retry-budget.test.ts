import { expect, test } from "bun:test";
import fc from "fast-check";
import { SteppedClock } from "../../../test/stepped-clock.ts";
import { RetryBudget } from "./retry-budget.ts";

test("however calls and failures come, hopeless retries stay a small part of the calls, beside a few by the clock", () => {
  const step = fc.record({ afterMs: fc.integer({ min: 0, max: 2_000 }), retries: fc.integer({ min: 0, max: 5 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const clock = new SteppedClock();
      const budget = new RetryBudget(clock);
      let granted = 0;
      for (const { afterMs, retries } of steps) {
        clock.step(afterMs);
        budget.deposit();
        for (let asked = 0; asked < retries; asked++) if (budget.draw()) granted++;
      }
      expect(granted).toBeLessThanOrEqual(3 + steps.length * 0.15 + (clock.monotonicMs() / 10_000) * 3 + 1e-6);
    }),
  );
});

test("a caller who comes now and then always has a few", () => {
  const clock = new SteppedClock();
  const budget = new RetryBudget(clock);
  for (let call = 0; call < 10; call++) {
    budget.deposit();
    expect([budget.draw(), budget.draw(), budget.draw()]).toEqual([true, true, true]);
    clock.step(10_000);
  }
});
