import type { RoundRecord } from "./coordinator/run-folder.ts";
import type { TrainingRun } from "./records.ts";
import type { TrainingNote, TrainingStores } from "./store.ts";

type By = TrainingNote["by"];

/** A change of a run's status: the run, its event and its line in the audit log, all or none. Null where it did not come to it. */
export function changeRun(
  stores: TrainingStores,
  id: string,
  verb: string,
  by: By,
  decide: (run: TrainingRun) => TrainingRun | null,
): Promise<TrainingRun | null> {
  return stores.transaction(async (tx) => {
    let before = 0;
    const run = await tx.runs.change(id, (found) => {
      before = found.eventsMade;
      return decide(found);
    });
    if (run === null || run.eventsMade === before) return run;
    const { status, reason, updatedAt: at } = run;
    await tx.events.insert({
      runId: id,
      number: run.eventsMade,
      at,
      kind: "status",
      round: null,
      data: { status, reason },
    });
    await noteRun(tx, run, verb, by, { name: run.name, ...(reason === null ? {} : { reason }) }, at);
    return run;
  });
}

/** A return to an earlier round: the run, its rounds, its event and its line in the audit log, all or none. */
export function rollBackRun(
  stores: TrainingStores,
  { id, round, by }: { readonly id: string; readonly round: number; readonly by: By },
  decide: (run: TrainingRun) => TrainingRun | null,
): Promise<TrainingRun | null> {
  return stores.transaction(async (tx) => {
    const run = await tx.runs.change(id, decide);
    if (run === null) return null;
    const { status, reason, updatedAt: at, eventsMade: number, name } = run;
    await tx.events.removeRoundsAfter(id, round);
    const data = { status, reason, returnedTo: round };
    await tx.events.insert({ runId: id, number, at, kind: "status", round: null, data });
    await noteRun(tx, run, "rollback", by, { name, round }, at);
    return run;
  });
}

/** A finished round: the run, its event, and hashes of all that went in and out in the audit log. */
export function keepRound(
  stores: TrainingStores,
  id: string,
  record: RoundRecord,
  now: number,
  decide: (run: TrainingRun) => TrainingRun | null,
): Promise<TrainingRun | null> {
  return stores.transaction(async (tx) => {
    const run = await tx.runs.change(id, decide);
    if (run === null) return null;
    const { round, strategy, modelIn, modelOut, replies, dropped, secure } = record;
    await tx.events.insert({ runId: id, number: run.eventsMade, at: now, kind: "round", round, data: record });
    const hashes = replies.map(({ participant, sha256, counted }) => ({ participant, sha256, counted }));
    const details = { name: run.name, round, strategy, modelIn, modelOut, replies: hashes, dropped };
    await noteRun(tx, run, "round", null, secure === undefined ? details : { ...details, secure }, now);
    return run;
  });
}

export const noteRun = (
  tx: TrainingStores,
  { id, organizationId }: TrainingRun,
  verb: string,
  by: By,
  details: Readonly<Record<string, unknown>>,
  at: number,
): Promise<void> =>
  tx.audit.note(
    { action: `training_run.${verb}`, organizationId, targetType: "training_run", targetId: id, details, by },
    at,
  );
