import type { Kysely, Selectable } from "kysely";
import type { RoundRecord } from "../../training/coordinator/run-folder.ts";
import type { TrainingEvent } from "../../training/records.ts";
import type { EventStore } from "../../training/store.ts";
import { paged } from "../accounts/paged.ts";
import type { Tables } from "../tables.ts";

export function eventStore(db: Kysely<Tables>): EventStore {
  return {
    async insert(event) {
      await db
        .insertInto("trainingEvents")
        .values({ ...event, data: JSON.stringify(event.data) })
        .execute();
    },
    async removeRoundsAfter(runId, round) {
      await db
        .updateTable("trainingEvents")
        .set({ round: null })
        .where("runId", "=", runId)
        .where("round", ">", round)
        .execute();
    },
    async listAfter(runId, number, limit) {
      const rows = await db
        .selectFrom("trainingEvents")
        .selectAll()
        .where("runId", "=", runId)
        .where("number", ">", number)
        .orderBy("number")
        .limit(limit)
        .execute();
      return rows.map(decode);
    },
    async listRounds(runId, page, order) {
      const found = db
        .selectFrom("trainingEvents")
        .select("data")
        .where("runId", "=", runId)
        .where("round", "is not", null)
        .orderBy("round", order);
      const { rows, total } = await paged(found, page);
      return { rows: rows.map(({ data }) => JSON.parse(data) as RoundRecord), total };
    },
    async findRound(runId, round) {
      const row = await db
        .selectFrom("trainingEvents")
        .select("data")
        .where("runId", "=", runId)
        .where("round", "=", round)
        .executeTakeFirst();
      return row ? (JSON.parse(row.data) as RoundRecord) : null;
    },
  };
}

const decode = (row: Selectable<Tables["trainingEvents"]>): TrainingEvent =>
  ({
    ...row,
    number: Number(row.number),
    round: row.round === null ? null : Number(row.round),
    data: JSON.parse(row.data),
  }) as TrainingEvent;
