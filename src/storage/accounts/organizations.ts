import type { Kysely } from "kysely";
import type { OrganizationStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";

export function organizationStore(db: Kysely<Tables>): OrganizationStore {
  return {
    async find(id) {
      return (await db.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async insert(organization) {
      await db.insertInto("organizations").values(organization).execute();
    },
    async addMember(member) {
      await db.insertInto("organizationMembers").values(member).execute();
    },
  };
}
