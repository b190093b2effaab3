import type { Kysely } from "kysely";
import type { UserStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";

export function userStore(db: Kysely<Tables>): UserStore {
  return {
    async find(id) {
      return (await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async findByEmail(email) {
      return (await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst()) ?? null;
    },
    insert({ email, name, role, status, passwordHash, createdAt, updatedAt }) {
      // Named one by one: an id in the argument would pass in one database and fail in the other.
      const row = { email, name, role, status, passwordHash, createdAt, updatedAt };
      return db.insertInto("users").values(row).returningAll().executeTakeFirstOrThrow();
    },
  };
}
