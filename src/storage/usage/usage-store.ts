import type { Kysely } from "kysely";
import { usageRow } from "../../contract/usage-row.ts";
import type { UsageStore } from "../../usage/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { findAnswered } from "./find-answered.ts";
import { foldRollups } from "./fold-rollups.ts";
import { insertUsage } from "./insert-usage.ts";
import { toLoggedCall } from "./log-rows.ts";
import { namesOf } from "./names.ts";
import { hasCalls, spendBy, spendOf, spendOfMany } from "./owner-totals.ts";
import { providerCosts } from "./provider-costs.ts";
import { removeBefore } from "./remove-before.ts";
import { selectLog, selectSlice } from "./select-log.ts";
import { sumLog } from "./sum-log.ts";
import { sumTexts } from "./sum-texts.ts";
import { sumTime } from "./sum-time.ts";

export function usageStore(db: Kysely<Tables>): UsageStore {
  return {
    record: (calls) =>
      inTransaction(db, async (tx) => {
        const added = await insertUsage(
          tx,
          calls.map((record) => ({ record, row: usageRow(record) })),
        );
        await foldRollups(tx, added);
        return new Set(added.map(({ record }) => record.id));
      }),
    async find(id) {
      const row = await db.selectFrom("usageLog").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toLoggedCall(row);
    },
    findAnswered: (scope, upstreamIds, among) => findAnswered(db, scope, upstreamIds, among),
    async list(filter, slice) {
      return (await selectSlice(db, filter, slice).execute()).map(toLoggedCall);
    },
    async count(filter) {
      const row = await selectLog(db, filter)
        .select(({ fn }) => fn.countAll<bigint>().as("calls"))
        .executeTakeFirstOrThrow();
      return Number(row.calls);
    },
    sum: (filter, buckets, by) => sumTime(db, filter, buckets, by),
    sumLog: (filter, buckets, by) => sumLog(db, filter, buckets, by),
    sumTexts: (filter, what) => sumTexts(db, filter, what),
    hasCalls: (scope) => hasCalls(db, scope),
    spendOf: (scope) => spendOf(db, scope),
    spendOfKeys: (keyIds) => spendOfMany(db, "keyId", keyIds),
    spendOfTeams: (teamIds) => spendOfMany(db, "teamId", teamIds),
    spendBy: (by, limit) => spendBy(db, by, limit),
    providerCosts: (by, names, range) => providerCosts(db, by, names, range),
    namesOf: (groups) => namesOf(db, groups),
    async findContents(id) {
      return (await db.selectFrom("usageContents").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async saveContents(contents) {
      await db
        .insertInto("usageContents")
        .values(contents)
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    },
    async findPrices(id) {
      return (await db.selectFrom("priceVersions").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
    },
    async savePrices(version) {
      await db
        .insertInto("priceVersions")
        .values(version)
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    },
    removeBefore: (end, organizationId, limit, kept) => removeBefore(db, end, organizationId, limit, kept),
    async listRetentions() {
      const rows = await db
        .selectFrom("organizations")
        .select(["id as organizationId", "dataRetentionDays as days"])
        .where("dataRetentionDays", "is not", null)
        .execute();
      return rows.flatMap(({ organizationId, days }) => (days === null ? [] : [{ organizationId, days }]));
    },
  };
}
