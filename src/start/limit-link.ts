import type { Link } from "../lib/link.ts";
import type { Change, LimitRequest, LimitStore } from "../limits/limit-store.ts";
import type { MemoryLimitStore } from "../limits/memory-limit-store.ts";

/** A supervisor that stands still for so long is done without; each worker then has its share of a limit. */
const ANSWER_WITHIN_MS = 1_000;

/** The supervisor's count of limits, as a worker asks for it. */
export const remoteLimitStore = (link: Link): LimitStore => ({
  connected: true,
  take: (process, asks) => link.call("limits.take", [process, asks], ANSWER_WITHIN_MS),
  tell: (process, changes) => link.call("limits.tell", [process, changes], ANSWER_WITHIN_MS),
  leave: (process) => link.call("limits.leave", [process], ANSWER_WITHIN_MS),
});

/** Lets the worker behind the link count in the house; gives what takes it out again. */
export function offerLimits(store: MemoryLimitStore, link: Link): () => void {
  const names = new Set<string>();
  link.on("limits.take", (process: string, asks: readonly LimitRequest[]) => store.take(process, asks));
  link.on("limits.tell", (process: string, changes: readonly Change[]) => {
    names.add(process);
    return store.tell(process, changes);
  });
  const leave = (process: string): void => store.leave(process);
  link.on("limits.leave", leave);
  return () => names.forEach(leave);
}
