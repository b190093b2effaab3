import { type Kysely, type Selectable, sql } from "kysely";
import type { Step } from "../../assistants/run-records.ts";
import type { StepStore } from "../../assistants/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { cursorSlice } from "./cursor-slice.ts";
import { requireEnds } from "./owned.ts";

export function stepStore(db: Kysely<Tables>): StepStore {
  const ofRun = (runId: string) => db.selectFrom("runSteps").selectAll().where("runId", "=", runId);
  const store: StepStore = {
    async find(runId, id) {
      const row = await ofRun(runId).where("id", "=", id).executeTakeFirst();
      return row ? decode(row) : null;
    },
    append: (step) =>
      inTransaction(db, async (tx) => {
        const last = await tx
          .selectFrom("runSteps")
          .select(sql<number>`coalesce(max(position), -1)`.as("place"))
          .where("runId", "=", step.runId)
          .executeTakeFirstOrThrow();
        const placed = { ...step, position: Number(last.place) + 1 };
        await tx.insertInto("runSteps").values(encode(placed)).execute();
        return placed;
      }),
    async update(step) {
      const { fields } = encode(step);
      await db.updateTable("runSteps").set({ fields }).where("id", "=", step.id).execute();
    },
    async list(runId, cursor) {
      const ends = await requireEnds(cursor, "step", async (id) => (await store.find(runId, id))?.position ?? null);
      return cursorSlice(ofRun(runId), "position", { ...cursor, ...ends }, decode);
    },
    async listAll(runId) {
      return (await ofRun(runId).orderBy("position").execute()).map(decode);
    },
    async remove(id) {
      await db.deleteFrom("runSteps").where("id", "=", id).execute();
    },
  };
  return store;
}

function encode({ id, runId, position, createdAt, ...fields }: Step): Tables["runSteps"] {
  return { id, runId, position, createdAt, fields: JSON.stringify(fields) };
}

function decode({ fields, position, ...row }: Selectable<Tables["runSteps"]>): Step {
  const kept = JSON.parse(fields) as Omit<Step, "id" | "runId" | "position" | "createdAt">;
  return { ...kept, ...row, position: Number(position) };
}
