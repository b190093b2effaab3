import type { Kysely } from "kysely";
import type { OrganizationMemberStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { byName } from "./by-name.ts";
import { withEmail } from "./users.ts";

export function organizationMemberStore(db: Kysely<Tables>): OrganizationMemberStore {
  return {
    async find(organizationId, userId) {
      const row = await db
        .selectFrom("organizationMembers")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("userId", "=", userId)
        .executeTakeFirst();
      return row ?? null;
    },
    async insert(member) {
      await db.insertInto("organizationMembers").values(member).execute();
    },
    async setRole(organizationId, userId, role) {
      await db
        .updateTable("organizationMembers")
        .set({ role })
        .where("organizationId", "=", organizationId)
        .where("userId", "=", userId)
        .execute();
    },
    remove(organizationId, userId) {
      return inTransaction(db, async (transaction) => {
        await transaction
          .deleteFrom("teamMembers")
          .where("userId", "=", userId)
          .where("teamId", "in", ({ selectFrom }) =>
            selectFrom("teams").select("teams.id").where("teams.organizationId", "=", organizationId),
          )
          .execute();
        await transaction
          .deleteFrom("organizationMembers")
          .where("organizationId", "=", organizationId)
          .where("userId", "=", userId)
          .execute();
      });
    },
    async list(organizationId) {
      const rows = await db
        .selectFrom("organizationMembers as member")
        .innerJoin("users as user", "user.id", "member.userId")
        .select(["member.userId", "user.externalId", "user.email", "user.name", "member.role", "member.joinedAt"])
        .where("member.organizationId", "=", organizationId)
        .orderBy("member.userId")
        .execute();
      return byName(rows.map(withEmail), ({ name }) => name);
    },
  };
}
