import type { Kysely, Selectable } from "kysely";
import type { TrainingRun } from "../../training/records.ts";
import { LEASE_MS } from "../../training/run-states.ts";
import type { RunStore } from "../../training/store.ts";
import { paged } from "../accounts/paged.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

export function runStore(db: Kysely<Tables>): RunStore {
  const all = () => db.selectFrom("trainingRuns").selectAll();
  const lines = () => db.selectFrom("trainingRuns").select(LINE);
  /** One after the other: other calls get their turn between two plans. */
  const withPlans = async (rows: readonly Line[]): Promise<TrainingRun[]> => {
    const runs: TrainingRun[] = [];
    for (const row of rows) {
      const listed = row.listed ?? listedOf((await all().where("id", "=", row.id).executeTakeFirst())?.plan);
      runs.push(decode({ ...row, plan: listed }));
    }
    return runs;
  };
  return {
    async find(id) {
      const row = await all().where("id", "=", id).executeTakeFirst();
      return row ? decode(row) : null;
    },
    async insert(run) {
      await db.insertInto("trainingRuns").values(encode(run)).execute();
    },
    change: (id, decide) =>
      inTransaction(db, async (tx) => {
        const found = tx.selectFrom("trainingRuns").selectAll().where("id", "=", id);
        const row = await (isSqlite(tx) ? found : found.forUpdate()).executeTakeFirst();
        const next = row ? decide(decode(row)) : null;
        if (next) {
          // Its plan stays as it is, and may be long.
          const { plan: _, ...changed } = next;
          await tx.updateTable("trainingRuns").set(changed).where("id", "=", id).execute();
        }
        return next;
      }),
    async list(organizationId, { status }, page) {
      let found = lines().where("organizationId", "=", organizationId);
      if (status !== undefined) found = found.where("status", "=", status);
      const { rows, total } = await paged(found.orderBy("createdAt", "desc").orderBy("id", "desc"), page);
      return { rows: await withPlans(rows), total };
    },
    async listOpen(organizationId) {
      const rows = await lines()
        .where("organizationId", "=", organizationId)
        .where("status", "in", ["queued", "running", "paused"])
        .orderBy("id")
        .execute();
      return withPlans(rows);
    },
    async count(organizationId) {
      const { rows } = await db
        .selectFrom("trainingRuns")
        .where("organizationId", "=", organizationId)
        .select(({ fn }) => fn.countAll().as("rows"))
        .executeTakeFirstOrThrow();
      return Number(rows);
    },
    async known(ids) {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom("trainingRuns")
        .select("id")
        .where("id", "in", [...ids])
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    async remove(id) {
      await db.deleteFrom("trainingRuns").where("id", "=", id).execute();
    },
    renew: (owner, ids, leaseUntil) =>
      db
        .updateTable("trainingRuns")
        .set({ leaseUntil })
        .where("leaseOwner", "=", owner)
        .where("id", "in", [...ids])
        .returning(["id", "status"])
        .execute(),
    async listDue(nowMs, limit) {
      const rows = await db
        .selectFrom("trainingRuns")
        .select(["id", "organizationId", "roundsDone", "initialHash", "leaseOwner", "leaseUntil"])
        .where("status", "in", ["queued", "running"])
        .where(({ or, eb }) =>
          or([
            eb("leaseUntil", "is", null),
            eb("leaseUntil", "<=", nowMs),
            // Clocks are set back, too: what was left behind then would wait for as long.
            eb("leaseUntil", ">", nowMs + LEASE_MS),
          ]),
        )
        .orderBy("createdAt")
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, roundsDone: Number(row.roundsDone) }));
    },
  };
}

/** All of a run but its plan, which may be long: of that, what a list shows. */
const LINE = [
  ...(["id", "organizationId", "name", "status", "reason", "rounds", "roundsDone", "eventsMade"] as const),
  ...(["initialHash", "leaseOwner", "leaseUntil", "attempts"] as const),
  ...(["createdBy", "createdAt", "updatedAt", "startedAt", "endedAt", "listed"] as const),
] as const;
type Line = Omit<Selectable<Tables["trainingRuns"]>, "plan">;

const encode = (run: TrainingRun): Tables["trainingRuns"] => {
  const plan = JSON.stringify(run.plan);
  return { ...run, plan, listed: listedOf(plan) };
};

function listedOf(plan = '{"participants":[]}'): string {
  const { strategy, participants } = JSON.parse(plan) as TrainingRun["plan"];
  return JSON.stringify({ strategy, participants });
}

const decode = ({ listed: _, ...row }: Selectable<Tables["trainingRuns"]>): TrainingRun => ({
  ...row,
  rounds: Number(row.rounds),
  roundsDone: Number(row.roundsDone),
  eventsMade: Number(row.eventsMade),
  attempts: Number(row.attempts),
  createdBy: row.createdBy === null ? null : Number(row.createdBy),
  plan: JSON.parse(row.plan) as TrainingRun["plan"],
});
