import type { Kysely } from "kysely";
import type { UserStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { contains } from "./contains.ts";
import { isEmpty } from "./is-empty.ts";
import { paged } from "./paged.ts";

export function userStore(db: Kysely<Tables>): UserStore {
  return {
    async find(id) {
      return (await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async findByEmail(email) {
      return (await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst()) ?? null;
    },
    insert({ email, name, role, status, passwordHash, lastLoginAt, createdAt, updatedAt }) {
      // Named one by one: an id in the argument would pass in one database and fail in the other.
      const row = { email, name, role, status, passwordHash, lastLoginAt, createdAt, updatedAt };
      return db.insertInto("users").values(row).returningAll().executeTakeFirstOrThrow();
    },
    async update(id, { email, name, role, status, passwordHash, lastLoginAt, updatedAt }) {
      const changes = { email, name, role, status, passwordHash, lastLoginAt, updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("users").set(changes).where("id", "=", id).execute();
    },
    list({ search }, page) {
      let found = db.selectFrom("users").selectAll().orderBy("id");
      if (search !== undefined) {
        found = found.where(({ or }) => or([contains("email", search), contains("name", search)]));
      }
      return paged(found, page);
    },
  };
}
