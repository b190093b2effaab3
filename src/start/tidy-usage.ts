import type { Logger } from "../lib/log.ts";
import { type RetentionDeps, removeOldCalls } from "../usage/retention.ts";

/** A database that is away is tried again the next time. */
export async function pruneUsage(deps: RetentionDeps, log: Logger): Promise<void> {
  try {
    const removed = await removeOldCalls(deps);
    if (removed > 0) log.info({ removed }, "calls whose time is over left the usage log");
  } catch (thrown) {
    log.warn({ err: thrown }, "old calls could not be taken out of the usage log");
  }
}
