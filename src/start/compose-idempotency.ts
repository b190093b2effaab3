import { RetryingStore } from "../ledger/retrying-store.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { Storage } from "../storage/open.ts";

const SWEEP_EVERY_MS = 10 * 60_000;

/** Answers that are given again, and what is to be done for them now and then. */
export function composeKeptAnswers(storage: Pick<Storage, "keptAnswers" | "ping">, clock: Clock, log: Logger) {
  const answers = new RetryingStore(storage.keptAnswers, clock, log);
  let sweptAtMs = clock.monotonicMs();
  return {
    /** For the routes where `Idempotency-Key` holds. */
    deps: { answers, clock, log },
    databaseWasAway: () => answers.databaseWasAway(),
    /** Keeps what could not be kept, and removes answers whose time is over. Never throws: what is left over is done the next time. */
    async upkeep(): Promise<void> {
      // A process that had nothing to ask has to know as well that the others could not.
      await storage.ping().catch(() => answers.databaseWasAway());
      await answers.flush().catch(() => undefined);
      if (clock.monotonicMs() - sweptAtMs < SWEEP_EVERY_MS) return;
      sweptAtMs = clock.monotonicMs();
      await answers.removeExpired(clock.nowMs()).catch(() => undefined);
    },
  };
}
