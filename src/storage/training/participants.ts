import type { Kysely, Selectable } from "kysely";
import type { TrainingParticipant } from "../../training/records.ts";
import type { ParticipantStore } from "../../training/store.ts";
import { isEmpty } from "../accounts/is-empty.ts";
import { lockOrganization } from "../accounts/lock-organization.ts";
import { paged } from "../accounts/paged.ts";
import type { Tables } from "../tables.ts";

export function participantStore(db: Kysely<Tables>): ParticipantStore {
  return {
    lock: (organizationId) => lockOrganization(db, organizationId),
    async find(id) {
      const row = await db.selectFrom("trainingParticipants").selectAll().where("id", "=", id).executeTakeFirst();
      return row ? decode(row) : null;
    },
    async list(organizationId, page) {
      const found = db
        .selectFrom("trainingParticipants")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .orderBy("name")
        .orderBy("id");
      const { rows, total } = await paged(found, page);
      return { rows: rows.map(decode), total };
    },
    async listNamed(organizationId, names) {
      if (names.length === 0) return [];
      const rows = await db
        .selectFrom("trainingParticipants")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("name", "in", [...names])
        .execute();
      return rows.map(decode);
    },
    async insert(participant) {
      await db
        .insertInto("trainingParticipants")
        .values({ ...participant, probe: JSON.stringify(participant.probe) })
        .execute();
    },
    async update(id, { name, url, sealedToken, maxExamples, probe, updatedAt }) {
      const changes = {
        name,
        url,
        sealedToken,
        maxExamples,
        probe: probe === undefined ? undefined : JSON.stringify(probe),
        updatedAt,
      };
      if (isEmpty(changes)) return;
      await db.updateTable("trainingParticipants").set(changes).where("id", "=", id).execute();
    },
    async remove(id) {
      await db.deleteFrom("trainingParticipants").where("id", "=", id).execute();
    },
  };
}

const decode = (row: Selectable<Tables["trainingParticipants"]>): TrainingParticipant => ({
  ...row,
  maxExamples: row.maxExamples === null ? null : Number(row.maxExamples),
  createdBy: row.createdBy === null ? null : Number(row.createdBy),
  probe: JSON.parse(row.probe) as TrainingParticipant["probe"],
});
