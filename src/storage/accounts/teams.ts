import type { Kysely } from "kysely";
import type { TeamStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { decodeModels, encodeModels } from "./models-column.ts";

export function teamStore(db: Kysely<Tables>): TeamStore {
  return {
    async find(id) {
      const row = await db.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : { ...row, models: decodeModels(row.models) };
    },
    async insert(team) {
      await db
        .insertInto("teams")
        .values({ ...team, models: encodeModels(team.models) })
        .execute();
    },
    async addMember(member) {
      await db.insertInto("teamMembers").values(member).execute();
    },
  };
}
