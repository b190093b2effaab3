import { sleep } from "./sleep.ts";

const PAUSE_MS = 1_000;
/** Ten minutes: what is not there by then is not waited for. */
const TRIES_MAX = 600;

/**
 * Does something again, a second later each time, for as long as it fails of what passes by itself. The work is told
 * whether it is done again: what failed may have been done all the same, and only the answer was lost.
 */
export async function retryUntil<T>(
  work: (isAgain: boolean) => Promise<T>,
  passes: (thrown: unknown) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work(tries > 1);
    } catch (thrown) {
      if (!passes(thrown) || tries >= TRIES_MAX || signal.aborted) throw thrown;
      await sleep(PAUSE_MS, signal).catch(() => {
        throw thrown;
      });
    }
  }
}
