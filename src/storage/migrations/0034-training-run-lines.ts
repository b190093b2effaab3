import type { Migration } from "./migration.ts";

/** What a list shows of a plan, so that a list of long plans need not read them. Null in rows that an earlier version made. */
export const trainingRunLines: Migration = {
  name: "0034-training-run-lines",
  async up(db) {
    await db.schema.alterTable("training_runs").addColumn("listed", "text").execute();
  },
};
