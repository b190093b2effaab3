import type { RoundRecord } from "./coordinator/run-folder.ts";
import { isEnded, type RunStatus, type TrainingRun } from "./records.ts";

/** A process that is quiet for this long has lost its runs to whoever takes them up. */
export const LEASE_MS = 8_000;
/** How often a run is taken up without finishing a round before it is paused. */
const ATTEMPTS_MAX = 3;

const FREE = { leaseOwner: null, leaseUntil: null } as const;

/** Everything that changes a run's status is one of these; each makes one event. */
const moved = (run: TrainingRun, status: RunStatus, reason: string | null, now: number): TrainingRun => ({
  ...run,
  status,
  reason,
  eventsMade: run.eventsMade + 1,
  updatedAt: now,
  endedAt: isEnded(status) ? now : null,
});

/** The lease stays: whoever carries the run out sees that it is over and lets go by itself. */
export const pause = (run: TrainingRun, reason: string, now: number): TrainingRun | null =>
  run.status === "queued" || run.status === "running" ? moved(run, "paused", reason, now) : null;

export const resume = (run: TrainingRun, now: number): TrainingRun | null =>
  run.status === "paused" ? { ...moved(run, "queued", null, now), attempts: 0 } : null;

export const cancel = (run: TrainingRun, now: number): TrainingRun | null =>
  isEnded(run.status) ? null : moved(run, "cancelled", null, now);

/** Null where the run is under way or cancelled, or has not come to this round. */
export const rollBack = (run: TrainingRun, round: number, reason: string, now: number): TrainingRun | null =>
  (run.status === "paused" || run.status === "completed") && round <= run.roundsDone
    ? { ...moved(run, "paused", reason, now), roundsDone: round, attempts: 0 }
    : null;

/** A lease further ahead than one can be is none: a clock was set, here or where it was made. */
export const isHeld = ({ leaseOwner, leaseUntil }: TrainingRun, now: number): boolean =>
  leaseOwner !== null && leaseUntil !== null && leaseUntil > now && leaseUntil <= now + LEASE_MS;

/** Null where another was quicker. Whether a holder lives whose lease is over, or beyond, by our clock, is for the desk to see. */
export function take(run: TrainingRun, owner: string, now: number): TrainingRun | null {
  if ((run.status !== "queued" && run.status !== "running") || isHeld(run, now)) return null;
  const begun = run.status === "queued" ? moved(run, "running", null, now) : run;
  return {
    ...begun,
    leaseOwner: owner,
    leaseUntil: now + LEASE_MS,
    attempts: run.attempts + 1,
    startedAt: run.startedAt ?? now,
  };
}

/** Null where it is not this owner's any more, or the round is there already. */
export const addRound = (run: TrainingRun, owner: string, { round }: RoundRecord, now: number): TrainingRun | null =>
  run.leaseOwner === owner && round === run.roundsDone + 1
    ? { ...run, roundsDone: round, eventsMade: run.eventsMade + 1, attempts: 0, updatedAt: now }
    : null;

export const complete = (run: TrainingRun, owner: string, now: number): TrainingRun | null =>
  run.leaseOwner === owner && run.status === "running" ? { ...moved(run, "completed", null, now), ...FREE } : null;

export const stall = (run: TrainingRun, owner: string, reason: string, now: number): TrainingRun | null =>
  run.leaseOwner === owner && run.status === "running" ? { ...moved(run, "paused", reason, now), ...FREE } : null;

/** Its process broke down: it is taken up again at once, or paused when that has happened too often. */
export function drop(run: TrainingRun, owner: string, reason: string, now: number): TrainingRun | null {
  if (run.leaseOwner !== owner) return null;
  if (run.status !== "running" || run.attempts < ATTEMPTS_MAX) return { ...run, ...FREE };
  return stall(run, owner, `${reason}, ${run.attempts} times without finishing a round`, now);
}

/** It did not break down, so that this time does not count: a round may take hours, and see several restarts of its server. */
export const release = (run: TrainingRun, owner: string): TrainingRun | null =>
  run.leaseOwner === owner ? { ...run, ...FREE, attempts: Math.max(0, run.attempts - 1) } : null;
