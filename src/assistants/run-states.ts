import { isHeld, LEASE_MS } from "../lib/leased-task-runner.ts";
import type { FunctionCall, Run, RunFault, RunProgress, RunStatus, RunUsage } from "./run-records.ts";

/** What may follow what. Everything that happens to a run is one of these steps. */
const TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ["in_progress", "cancelling", "failed", "expired"],
  in_progress: ["requires_action", "completed", "incomplete", "failed", "cancelling", "expired"],
  requires_action: ["queued", "cancelling", "failed", "expired"],
  cancelling: ["cancelled"],
  cancelled: [],
  failed: [],
  completed: [],
  incomplete: [],
  expired: [],
};

export const isActive = (status: RunStatus): boolean => TRANSITIONS[status].length > 0;

/** How often a run is taken up again before it is given up. */
const ATTEMPTS_MAX = 3;

export const NO_PROGRESS: RunProgress = {
  startedAt: null,
  cancelledAt: null,
  failedAt: null,
  completedAt: null,
  lastError: null,
  incompleteReason: null,
  waitsFor: null,
  used: { promptTokens: 0, completionTokens: 0, totalTokens: 0, costNano: 0 },
};

/** The run in another state; null where it is not in one that the new state may follow. */
function moved(run: Run, status: RunStatus, progress: Partial<RunProgress> = {}): Run | null {
  if (!TRANSITIONS[run.status].includes(status)) return null;
  const waits = status === "requires_action" ? {} : { waitsFor: null };
  const next = { ...run, status, progress: { ...run.progress, ...waits, ...progress } };
  return isActive(status) ? next : { ...next, leaseOwner: null, leaseUntil: null };
}

export interface LeaseHolder {
  readonly owner: string;
  readonly now: number;
}

/** Taken up by a process: what waits begins, what another left in the middle goes on. Null where somebody has it. */
export function claim(run: Run, { owner, now }: LeaseHolder): Run | null {
  if (run.expiresAt <= now || (isHeld(run, now) && run.leaseOwner !== owner)) return null;
  const lease = { leaseOwner: owner, leaseUntil: now + LEASE_MS };
  if (run.status === "queued") {
    const begun = moved(run, "in_progress", { startedAt: run.progress.startedAt ?? now });
    return begun && { ...begun, ...lease };
  }
  if (run.status !== "in_progress" || isHeld(run, now)) return null;
  if (run.attempts < ATTEMPTS_MAX) return { ...run, ...lease, attempts: run.attempts + 1 };
  return fail(
    run,
    { code: "server_error", message: "The processes that carried out the run ended again and again." },
    now,
  );
}

/** What there is left to do for a run that cannot be begun any more: its end. Null where it is not ours to end. */
export function endUnbegun(run: Run, { owner, now }: LeaseHolder): Run | null {
  if (isHeld(run, now) && run.leaseOwner !== owner) return null;
  return endCancelled(run, now) ?? expire(run, now);
}

export const requireAction = (run: Run, waitsFor: readonly FunctionCall[]): Run | null => {
  const waiting = moved(run, "requires_action", { waitsFor });
  return waiting && { ...waiting, leaseOwner: null, leaseUntil: null };
};

/** What the functions gave is there: the run waits for its turn, held for the process that was told. */
export function resume(run: Run, { owner, now }: LeaseHolder): Run | null {
  if (run.expiresAt <= now) return null;
  const queued = moved(run, "queued");
  return queued && { ...queued, leaseOwner: owner, leaseUntil: now + LEASE_MS };
}

export const complete = (run: Run, now: number): Run | null => moved(run, "completed", { completedAt: now });

export const leaveIncomplete = (run: Run, incompleteReason: RunProgress["incompleteReason"]): Run | null =>
  moved(run, "incomplete", { incompleteReason });

export const fail = (run: Run, lastError: RunFault, now: number): Run | null =>
  moved(run, "failed", { lastError, failedAt: now });

export const askCancel = (run: Run): Run | null => moved(run, "cancelling");

export const endCancelled = (run: Run, now: number): Run | null => moved(run, "cancelled", { cancelledAt: now });

/** Its time is over, whatever it was at; a run that is being cancelled goes that way to its end. */
export const expire = (run: Run, now: number): Run | null => (run.expiresAt <= now ? moved(run, "expired") : null);

export const addUsage = (used: RunUsage, more: RunUsage | null): RunUsage =>
  more === null
    ? used
    : {
        promptTokens: used.promptTokens + more.promptTokens,
        completionTokens: used.completionTokens + more.completionTokens,
        totalTokens: used.totalTokens + more.totalTokens,
        costNano: (used.costNano ?? 0) + (more.costNano ?? 0),
      };

/** The run with more that it has used. */
export const addUsed = (run: Run, more: RunUsage | null): Run => ({
  ...run,
  progress: { ...run.progress, used: addUsage(run.progress.used, more) },
});
