import type { BatchStatus } from "../contract/batches.ts";
import { isHeld, LEASE_MS } from "../lib/leased-task-runner.ts";
import type { Batch, BatchFault, BatchProgress } from "./records.ts";

/** What may follow what. Everything that happens to a batch is one of these steps. */
const TRANSITIONS: Readonly<Record<BatchStatus, readonly BatchStatus[]>> = {
  validating: ["in_progress", "failed", "cancelling"],
  in_progress: ["finalizing", "cancelling"],
  finalizing: ["completed", "expired", "failed"],
  cancelling: ["cancelled"],
  completed: [],
  failed: [],
  expired: [],
  cancelled: [],
};

export const isActive = (status: BatchStatus): boolean => TRANSITIONS[status].length > 0;
export const ACTIVE_STATUSES = (Object.keys(TRANSITIONS) as BatchStatus[]).filter(isActive);

/** How often processes may die over a batch of which nothing more comes. */
export const ATTEMPTS_MAX = 5;

export const NO_PROGRESS: BatchProgress = {
  startedAt: null,
  finalizingAt: null,
  completedAt: null,
  failedAt: null,
  expiredAt: null,
  cancellingAt: null,
  cancelledAt: null,
  faults: [],
};

/** The batch in another state; null where it is not in one that the new state may follow. */
function moved(batch: Batch, status: BatchStatus, progress: Partial<BatchProgress>): Batch | null {
  if (!TRANSITIONS[batch.status].includes(status)) return null;
  const next = { ...batch, status, progress: { ...batch.progress, ...progress } };
  return isActive(status) ? next : { ...next, leaseOwner: null, leaseUntil: null };
}

/** Held by a process from now on. Null where another has it, or there is nothing left to do. */
export function claim(batch: Batch, owner: string, now: number): Batch | null {
  if (!isActive(batch.status) || (isHeld(batch, now) && batch.leaseOwner !== owner)) return null;
  const isLeft = batch.leaseOwner !== null && batch.leaseOwner !== owner;
  const attempts = batch.attempts + (isLeft ? 1 : 0);
  return { ...batch, leaseOwner: owner, leaseUntil: now + LEASE_MS, attempts };
}

/** Nobody's, in order: whoever looks from then on takes it up. */
export const release = (batch: Batch, untilMs: number): Batch => ({ ...batch, leaseOwner: null, leaseUntil: untilMs });

/** The file is good: its lines are called. */
export function begin(batch: Batch, total: number, now: number): Batch | null {
  const begun = moved(batch, "in_progress", { startedAt: now });
  return begun && { ...begun, total };
}

/** The file is not good: nothing of it is called. */
export const refuse = (batch: Batch, faults: readonly BatchFault[], now: number): Batch | null =>
  batch.status === "validating" ? moved(batch, "failed", { failedAt: now, faults }) : null;

/** No line is called any more. With faults where the rest of the file cannot be read. */
export const finalize = (batch: Batch, faults: readonly BatchFault[], now: number): Batch | null =>
  moved(batch, "finalizing", { finalizingAt: now, faults });

export const askCancel = (batch: Batch, now: number): Batch | null => moved(batch, "cancelling", { cancellingAt: now });

/** What it will have come to when its files are written. */
export function outcomeOf({ status, progress, ...counts }: Batch): "completed" | "failed" | "expired" | "cancelled" {
  if (status === "cancelling") return "cancelled";
  if (progress.faults.length > 0) return "failed";
  return counts.completed + counts.failed < counts.total ? "expired" : "completed";
}

const ENDED_AT = {
  completed: "completedAt",
  failed: "failedAt",
  expired: "expiredAt",
  cancelled: "cancelledAt",
} as const;

/** Its files are written; so many lines that nobody called stand among the errors. */
export function end(batch: Batch, uncalled: number, now: number): Batch | null {
  const outcome = outcomeOf(batch);
  const ended = moved(batch, outcome, { [ENDED_AT[outcome]]: now });
  return ended && { ...ended, failed: ended.failed + uncalled };
}
