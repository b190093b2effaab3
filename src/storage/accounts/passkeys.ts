import type { Kysely, Selectable } from "kysely";
import type { Passkey } from "../../accounts/sign-in-records.ts";
import type { PasskeyStore } from "../../accounts/sign-in-store.ts";
import type { Tables } from "../tables.ts";
import { decodeStrings, encodeJson } from "./json-columns.ts";

export function passkeyStore(db: Kysely<Tables>): PasskeyStore {
  return {
    async findByCredential(credentialId) {
      const found = db.selectFrom("passkeys").selectAll().where("credentialId", "=", credentialId);
      const row = await found.executeTakeFirst();
      return row ? toPasskey(row) : null;
    },
    async insert(passkey) {
      await db
        .insertInto("passkeys")
        .values({ ...passkey, transports: encodeJson(passkey.transports) })
        .execute();
    },
    async rename(userId, id, name) {
      const own = db.updateTable("passkeys").set({ name }).where("userId", "=", userId).where("id", "=", id);
      const row = await own.returningAll().executeTakeFirst();
      return row ? toPasskey(row) : null;
    },
    async used(id, counter, atMs) {
      const rows = await db
        .updateTable("passkeys")
        .set({ counter, lastUsedAt: atMs })
        .where("id", "=", id)
        .where("counter", counter === 0n ? "=" : "<", counter)
        .returning("id")
        .execute();
      return rows.length > 0;
    },
    async remove(userId, id) {
      const own = db.deleteFrom("passkeys").where("userId", "=", userId).where("id", "=", id);
      const row = await own.returningAll().executeTakeFirst();
      return row ? toPasskey(row) : null;
    },
    async removeOf(userId) {
      return (await db.deleteFrom("passkeys").where("userId", "=", userId).returning("id").execute()).length;
    },
    async listOf(userId) {
      const own = db.selectFrom("passkeys").selectAll().where("userId", "=", userId);
      const rows = await own.orderBy("createdAt").orderBy("id").execute();
      return rows.map(toPasskey);
    },
    async countAmong(userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("passkeys")
        .select(({ fn }) => ["userId", fn.countAll().as("count")])
        .where("userId", "in", userIds)
        .groupBy("userId")
        .execute();
      return new Map(rows.map(({ userId, count }) => [userId, Number(count)]));
    },
  };
}

const toPasskey = (row: Selectable<Tables["passkeys"]>): Passkey => ({
  ...row,
  transports: decodeStrings(row.transports),
});
