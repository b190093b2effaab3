import { sleep } from "../lib/sleep.ts";
import { CliError } from "./cli-error.ts";

/** A server counts by the minute: whoever has waited for so long has waited for long enough. */
export const PATIENCE_SECONDS = 60;
/** Others may have taken the room that there was. */
const WAITED_SECONDS_MAX = 2 * PATIENCE_SECONDS;

/** Where the server takes no more for a while and says for how long, that is waited for. */
export async function patiently<T>(
  work: () => Promise<T>,
  tell: (seconds: number) => void = () => undefined,
): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await work();
    } catch (thrown) {
      const seconds = thrown instanceof CliError ? thrown.retrySeconds : null;
      if (seconds === null || seconds > PATIENCE_SECONDS || waited >= WAITED_SECONDS_MAX) throw thrown;
      waited += Math.max(1, seconds);
      tell(seconds);
      await sleep(seconds * 1000);
    }
  }
}
