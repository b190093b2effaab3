import { GatewayError } from "../../contract/errors.ts";

/** What PostgreSQL ends one of two transactions with that wait for each other. */
const DEADLOCKS: ReadonlySet<unknown> = new Set(["40P01", "40001"]);
const TRIES_MAX = 4;

/** Does the work again when it lost against another transaction: nothing of it is stored then. */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (thrown) {
      const cause = thrown instanceof GatewayError ? thrown.cause : thrown;
      const code = (cause as { code?: unknown } | null | undefined)?.code;
      if (tries >= TRIES_MAX || !DEADLOCKS.has(code)) throw thrown;
    }
  }
}
