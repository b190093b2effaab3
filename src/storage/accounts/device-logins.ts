import type { Kysely } from "kysely";
import type { DeviceLoginStore } from "../../accounts/sign-in-store.ts";
import type { Tables } from "../tables.ts";

export function deviceLoginStore(db: Kysely<Tables>): DeviceLoginStore {
  const findBy = async (column: "deviceHash" | "userCodeHash", hash: string) =>
    (await db.selectFrom("deviceLogins").selectAll().where(column, "=", hash).executeTakeFirst()) ?? null;
  return {
    async insert(login) {
      await db.insertInto("deviceLogins").values(login).execute();
    },
    findByDevice: (deviceHash) => findBy("deviceHash", deviceHash),
    findByUserCode: (userCodeHash) => findBy("userCodeHash", userCodeHash),
    async polled(id, atMs, intervalSeconds) {
      await db.updateTable("deviceLogins").set({ lastPolledAt: atMs, intervalSeconds }).where("id", "=", id).execute();
    },
    async decide(id, status, userId, nowMs) {
      const rows = await db
        .updateTable("deviceLogins")
        .set({ status, userId })
        .where("id", "=", id)
        .where("status", "=", "pending")
        .where("expiresAt", ">", nowMs)
        .returning("id")
        .execute();
      return rows.length > 0;
    },
    async redeem(id, nowMs) {
      const rows = await db
        .updateTable("deviceLogins")
        .set({ status: "used" })
        .where("id", "=", id)
        .where("status", "=", "approved")
        .where("expiresAt", ">", nowMs)
        .returning("id")
        .execute();
      return rows.length > 0;
    },
    async removeApproved(userId) {
      const own = db.deleteFrom("deviceLogins").where("userId", "=", userId);
      await own.where("status", "=", "approved").execute();
    },
    async countPending(address, nowMs) {
      const { waiting } = await db
        .selectFrom("deviceLogins")
        .select(({ fn }) => fn.countAll().as("waiting"))
        .where("address", address === null ? "is" : "=", address)
        .where("status", "=", "pending")
        .where("expiresAt", ">", nowMs)
        .executeTakeFirstOrThrow();
      return Number(waiting);
    },
    async removeOver(beforeMs) {
      await db.deleteFrom("deviceLogins").where("expiresAt", "<", beforeMs).execute();
    },
  };
}
