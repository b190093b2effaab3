import type { Kysely } from "kysely";
import type { SettingStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";

export function settingStore(db: Kysely<Tables>): SettingStore {
  return {
    async find(name) {
      const row = await db.selectFrom("settings").select("value").where("name", "=", name).executeTakeFirst();
      return row?.value ?? null;
    },
    async put(name, value) {
      await db
        .insertInto("settings")
        .values({ name, value })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
        .execute();
    },
  };
}
