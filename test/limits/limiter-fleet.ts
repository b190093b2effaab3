import type { LimitStore } from "../../src/limits/limit-store.ts";
import type { Meter } from "../../src/limits/meter.ts";
import { SharedLimiter } from "../../src/limits/shared-limiter.ts";

const owner = { scope: "key", model: null };
export const meter = (counted: Meter["counted"], limit: number, id: string = counted): Meter => ({
  id,
  counted,
  limit,
  owner,
  headers: null,
});

/** Beats only when a test says so. */
export const timers = { after: () => () => undefined };

/** Where limits are counted together: each makes an empty one on a test's time. */
export type MakeHouse = (clock: { now: number }) => Promise<LimitStore>;

export const START_MS = 1_700_000_000_000;

/** So many processes that count in one house, on one time. */
export async function fleet(size: number, clock: { now: number }, make: MakeHouse) {
  const store = await make(clock);
  const limiters = Array.from(
    { length: size },
    (_, index) => new SharedLimiter({ store, process: `p${index}`, nowMs: () => clock.now, timers }),
  );
  const beat = async () => {
    for (const limiter of limiters) await limiter.start();
  };
  await beat();
  await beat();
  return { limiters, beat, of: (index: number) => limiters[index % size] as SharedLimiter };
}
