import type { KeptAnswers } from "../ledger/kept-answers.ts";
import type { Clock } from "../lib/clock.ts";

const EVERY_MS = 10 * 60_000;

/** Removes kept answers whose time is over, now and then. Never throws: what is left over is removed the next time. */
export function sweepKept(answers: KeptAnswers, clock: Clock): () => Promise<void> {
  let sweptAtMs = clock.monotonicMs();
  return async () => {
    if (clock.monotonicMs() - sweptAtMs < EVERY_MS) return;
    sweptAtMs = clock.monotonicMs();
    await answers.removeExpired(clock.nowMs()).catch(() => undefined);
  };
}
