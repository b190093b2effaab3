import { type Clock, systemClock } from "../../lib/clock.ts";
import { readRetryAfter } from "../../lib/retry-after.ts";
import { sleep } from "../../lib/sleep.ts";
import { ParticipantFailure } from "../wire/participant-failure.ts";

const FIRST_WAIT_MS = 200;
/** Whoever asks for more is asked again all the same: the deadline may be a day away. */
const WAIT_MAX_MS = 60_000;

export interface Asked<T> {
  readonly answers: ReadonlyArray<{ readonly id: string; readonly answer: T }>;
  readonly failures: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
}

export interface AskOptions {
  readonly retries: number;
  readonly deadlineMs: number;
}

/** How time passes between one try and the next. */
export interface Waiting {
  readonly clock: Pick<Clock, "nowMs">;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const AS_USUAL: Waiting = { clock: systemClock, wait: sleep };

/** Asks everybody at once. A failure is data; nobody waits longer than the deadline. */
export async function askAll<T>(
  ids: readonly string[],
  { retries, deadlineMs }: AskOptions,
  ask: (id: string, signal: AbortSignal) => Promise<T>,
  waiting: Waiting = AS_USUAL,
): Promise<Asked<T>> {
  const signal = AbortSignal.timeout(deadlineMs);
  const results = await Promise.all(
    ids.map(async (id) => {
      try {
        const work = withRetries(retries, signal, waiting, () => ask(id, signal));
        return { id, answer: await Promise.race([work, endOf(signal)]) };
      } catch (thrown) {
        if (!(thrown instanceof ParticipantFailure)) throw thrown;
        return { id, reason: thrown.message };
      }
    }),
  );
  return {
    answers: results.flatMap((result) => ("answer" in result ? [result as { id: string; answer: T }] : [])),
    failures: results.flatMap((result) => ("reason" in result ? [{ id: result.id, reason: result.reason ?? "" }] : [])),
  };
}

/** Not everything that is asked for ends with the signal: what may come late goes on. */
function endOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(new ParticipantFailure("the deadline passed", false));
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return promise;
}

async function withRetries<T>(
  retries: number,
  signal: AbortSignal,
  { clock, wait }: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      const again = thrown instanceof ParticipantFailure && thrown.again && attempt < retries && !signal.aborted;
      if (!again) throw thrown;
      const wantedMs = Math.min(readRetryAfter(thrown.retryAfter, clock.nowMs()) ?? 0, WAIT_MAX_MS);
      await wait(Math.max(FIRST_WAIT_MS * 2 ** attempt, wantedMs), signal).catch(() => undefined);
    }
  }
}
