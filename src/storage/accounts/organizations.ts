import type { Kysely } from "kysely";
import type { OrganizationStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { byName } from "./by-name.ts";
import { isEmpty } from "./is-empty.ts";

export function organizationStore(db: Kysely<Tables>): OrganizationStore {
  return {
    async find(id) {
      return (await db.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async insert(organization) {
      await db.insertInto("organizations").values(organization).execute();
    },
    async update(id, { name, slug, ownerId, billingEmail, timezone, dataRetentionDays, updatedAt }) {
      const changes = { name, slug, ownerId, billingEmail, timezone, dataRetentionDays, updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("organizations").set(changes).where("id", "=", id).execute();
    },
    async listOf(userId) {
      const rows = await db
        .selectFrom("organizationMembers as member")
        .innerJoin("organizations as organization", "organization.id", "member.organizationId")
        .selectAll("organization")
        .select("member.role")
        .where("member.userId", "=", userId)
        .orderBy("organization.id")
        .execute();
      return byName(rows, ({ name }) => name).map(({ role, ...organization }) => ({ organization, role }));
    },
  };
}
