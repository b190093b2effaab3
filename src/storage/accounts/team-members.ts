import type { Kysely } from "kysely";
import type { TeamMemberStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { byName } from "./by-name.ts";
import { isEmpty } from "./is-empty.ts";
import { withEmail } from "./users.ts";

export function teamMemberStore(db: Kysely<Tables>): TeamMemberStore {
  return {
    async find(teamId, userId) {
      const row = await db
        .selectFrom("teamMembers")
        .selectAll()
        .where("teamId", "=", teamId)
        .where("userId", "=", userId)
        .executeTakeFirst();
      return row ?? null;
    },
    async insert(member) {
      await db.insertInto("teamMembers").values(member).execute();
    },
    async update(teamId, userId, { role, budget, budgetWindow, rpmLimit, tpmLimit }) {
      const changes = { role, budget, budgetWindow, rpmLimit, tpmLimit };
      if (isEmpty(changes)) return;
      await db
        .updateTable("teamMembers")
        .set(changes)
        .where("teamId", "=", teamId)
        .where("userId", "=", userId)
        .execute();
    },
    async remove(teamId, userId) {
      await db.deleteFrom("teamMembers").where("teamId", "=", teamId).where("userId", "=", userId).execute();
    },
    async list(teamId) {
      const rows = await selectNamed(db).where("member.teamId", "=", teamId).execute();
      return byName(rows.map(withEmail), ({ name }) => name);
    },
    async listOf(teamIds) {
      // PostgreSQL has no empty list.
      if (teamIds.length === 0) return [];
      const rows = await selectNamed(db).select("member.teamId").where("member.teamId", "in", teamIds).execute();
      return byName(rows.map(withEmail), ({ name }) => name);
    },
    listTeamsOf(organizationId, userId) {
      return db
        .selectFrom("teamMembers as member")
        .innerJoin("teams as team", "team.id", "member.teamId")
        .selectAll("member")
        .where("member.userId", "=", userId)
        .where("team.organizationId", "=", organizationId)
        .orderBy("member.teamId")
        .execute();
    },
  };
}

const selectNamed = (db: Kysely<Tables>) =>
  db
    .selectFrom("teamMembers as member")
    .innerJoin("users as user", "user.id", "member.userId")
    .select(["member.userId", "user.externalId", "user.email", "user.name", "member.role", "member.joinedAt"])
    .select(["member.budget", "member.budgetWindow", "member.rpmLimit", "member.tpmLimit"])
    .orderBy("member.userId");
