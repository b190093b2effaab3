import type { Kysely } from "kysely";
import type { CredentialStore } from "../../accounts/model-records.ts";
import type { Tables } from "../tables.ts";
import { isEmpty } from "./is-empty.ts";

export function credentialStore(db: Kysely<Tables>): CredentialStore {
  return {
    async find(name) {
      return (await db.selectFrom("credentials").selectAll().where("name", "=", name).executeTakeFirst()) ?? null;
    },
    async insert(credential) {
      await db.insertInto("credentials").values(credential).execute();
    },
    async update(name, { provider, sealed, updatedAt }) {
      const changes = { provider, sealed, updatedAt };
      if (isEmpty(changes)) return;
      await db.updateTable("credentials").set(changes).where("name", "=", name).execute();
    },
    async remove(name) {
      await db.deleteFrom("credentials").where("name", "=", name).execute();
    },
    list() {
      return db.selectFrom("credentials").selectAll().orderBy("createdAt").orderBy("id").execute();
    },
  };
}
