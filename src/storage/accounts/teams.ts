import type { Kysely, Selectable } from "kysely";
import type { Team } from "../../accounts/records.ts";
import type { TeamStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { byName } from "./by-name.ts";
import { isEmpty } from "./is-empty.ts";
import { decodeStrings, encodeJson } from "./json-columns.ts";

export function teamStore(db: Kysely<Tables>): TeamStore {
  return {
    async find(id) {
      const row = await db.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toTeam(row);
    },
    async insert(team) {
      await db
        .insertInto("teams")
        .values({ ...team, models: encodeJson(team.models) })
        .execute();
    },
    async update(id, { name, status, blockedReason, models, updatedAt }) {
      const changes = { name, status, blockedReason, models: models && encodeJson(models), updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("teams").set(changes).where("id", "=", id).execute();
    },
    async remove(id) {
      // The foreign keys take the memberships and the keys with it.
      await db.deleteFrom("teams").where("id", "=", id).execute();
    },
    async list(organizationId) {
      const rows = await db
        .selectFrom("teams")
        .selectAll("teams")
        .select(({ selectFrom, fn }) => [
          selectFrom("teamMembers")
            .select(fn.countAll<bigint>().as("members"))
            .whereRef("teamMembers.teamId", "=", "teams.id")
            .as("membersCount"),
          selectFrom("apiKeys")
            .select(fn.countAll<bigint>().as("keys"))
            .whereRef("apiKeys.teamId", "=", "teams.id")
            .as("keysCount"),
        ])
        .where("organizationId", "=", organizationId)
        .orderBy("id")
        .execute();
      return byName(rows, ({ name }) => name).map(({ membersCount, keysCount, ...team }) => ({
        team: toTeam(team),
        membersCount: Number(membersCount),
        keysCount: Number(keysCount),
      }));
    },
  };
}

export function toTeam(row: Selectable<Tables["teams"]>): Team {
  return { ...row, models: decodeStrings(row.models) };
}
