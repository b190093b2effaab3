import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sql } from "kysely";
import { CALL_STATUSES, type UsageRecord } from "../../../src/contract/usage.ts";
import { endedCall } from "../../../src/ledger/settle-store.ts";
import { findTimeZone } from "../../../src/lib/time-zone.ts";
import { settleStore } from "../../../src/storage/ledger/settle.ts";
import { largerSums } from "../../../src/storage/migrations/0035-larger-sums.ts";
import { columnsFor } from "../../../src/storage/migrations/columns.ts";
import { inTransaction } from "../../../src/storage/transaction.ts";
import { usageStore } from "../../../src/storage/usage/usage-store.ts";
import { BUCKETS, cutInto, type TimeRange } from "../../../src/usage/buckets.ts";
import { wholeQuarters } from "../../../src/usage/date-range.ts";
import type { Dimension, UsageGroup } from "../../../src/usage/store.ts";
import { runs } from "../../property-runs.ts";
import { AT, unique } from "../new-records.ts";
import { newCall } from "../new-usage.ts";
import type { StoreBench } from "../store-bench.ts";

const DAY_MS = 86_400_000;
const ZONES = [
  "UTC",
  "Europe/London",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Tokyo",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "America/St_Johns",
  "America/Santiago",
];
const GROUPED = ["model", "keyId", "teamId", "userId", "status"] as const satisfies readonly Dimension[];

const fields = {
  teamId: fc.constantFrom("a", "b", null),
  keyId: fc.constantFrom("k1", "k2", "k3"),
  userId: fc.constantFrom(1, 2, null),
  model: fc.constantFrom("m", "n", null),
  status: fc.constantFrom(...CALL_STATUSES),
  cost: fc.bigInt({ min: 0n, max: 2n ** 50n }),
  promptTokens: fc.nat(1_000_000),
};
/** Many within a few days, so that days have more than one call, and some that are far from them. */
const anyTime = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: AT - 8 * DAY_MS, max: AT }) },
  fc.integer({ min: AT - 200 * DAY_MS, max: AT }),
);

/** What every way of reading must tell: added up call by call. */
function byHand(calls: readonly UsageRecord[], buckets: readonly TimeRange[], by: readonly Dimension[]): string[] {
  const sums = new Map<string, [requests: bigint, failed: bigint, cost: bigint, promptTokens: bigint]>();
  for (const call of calls) {
    const bucket = buckets.find(({ start, end }) => call.at >= start && call.at < end);
    if (!bucket) continue;
    const name = JSON.stringify([bucket.start, by.map((one) => call[one as keyof UsageRecord] ?? null)]);
    const [requests, failed, cost, promptTokens] = sums.get(name) ?? [0n, 0n, 0n, 0n];
    const isFailed = call.status !== "succeeded" && call.status !== "cancelled";
    sums.set(name, [
      requests + 1n,
      failed + (isFailed ? 1n : 0n),
      cost + call.cost,
      promptTokens + BigInt(call.promptTokens),
    ]);
  }
  return [...sums].map(([name, values]) => `${name} ${values}`).sort();
}

const told = (groups: readonly UsageGroup[], by: readonly Dimension[]): string[] =>
  groups
    .map(({ start, values, sums: { requests, failed, cost, promptTokens } }) => {
      const name = JSON.stringify([start, by.map((one) => values[one])]);
      return `${name} ${[requests, failed, cost, promptTokens]}`;
    })
    .sort();

const costOf = (calls: readonly UsageRecord[]): bigint => calls.reduce((sum, { cost }) => sum + cost, 0n);

export function usageSumSuite(bench: StoreBench): void {
  const store = () => usageStore(bench.backend.db);

  describe("the sums of days and of all time", () => {
    test("are those of every call, settled at once or late, in any zone, also when the log has forgotten some", async () => {
      const cases = fc.sample(
        fc.record({
          batches: fc.array(fc.array(fc.record({ ...fields, at: anyTime }), { minLength: 1, maxLength: 15 }), {
            minLength: 4,
            maxLength: 6,
          }),
          zone: fc.constantFrom(...ZONES),
          size: fc.constantFrom(...BUCKETS.slice(1)),
          by: fc.subarray([...GROUPED]),
          from: fc.integer({ min: -210 * DAY_MS, max: -DAY_MS }),
          until: fc.integer({ min: -DAY_MS, max: DAY_MS }),
        }),
        { numRuns: 40, seed: 35 },
      );
      for (const { batches, zone, size, by, from, until } of cases) {
        const organizationId = unique("org_");
        const settled = batches.map((batch) => batch.map((given) => newCall({ ...given, organizationId })));
        const calls = settled.flat();
        // Two at a time, as two processes do; and one that arrives twice, as after a crash.
        const [first = [], ...others] = settled;
        const settle = (batch: readonly UsageRecord[]) =>
          settleStore(bench.backend.db).settle(
            "here",
            batch.map((call) => endedCall(call, [])),
            AT,
          );
        await Promise.all([settle(first), settle(first.toReversed())]);
        for (let at = 0; at < others.length; at += 2) await Promise.all(others.slice(at, at + 2).map(settle));
        await store().removeBefore(AT - 4 * DAY_MS, organizationId, 500);

        const found = findTimeZone(zone);
        if (!found) throw new Error(zone);
        const buckets = cutInto(size, found, wholeQuarters({ start: AT + from, end: AT + until }));
        expect(told(await store().sum({ organizationId }, buckets, by), by)).toEqual(byHand(calls, buckets, by));
        const ofKey = await store().sum({ organizationId, keyId: "k1", statuses: ["succeeded"] }, buckets, by);
        const wanted = calls.filter(({ keyId, status }) => keyId === "k1" && status === "succeeded");
        expect(told(ofKey, by)).toEqual(byHand(wanted, buckets, by));

        expect(await store().spendOf({ organizationId })).toEqual({
          cost: costOf(calls),
          requests: BigInt(calls.length),
          lastAt: Math.max(...calls.map(({ at }) => at)),
        });
        const ofTeam = calls.filter(({ teamId, userId }) => teamId === "a" && userId === 2);
        const { cost, requests } = await store().spendOf({ organizationId, teamIds: ["a"], userId: 2 });
        expect([cost, requests]).toEqual([costOf(ofTeam), BigInt(ofTeam.length)]);
        const dearest = (await store().spendBy(["organizationId", "keyId"])).filter(
          ({ values }) => values.organizationId === organizationId,
        );
        expect(dearest.map((spend) => spend.cost)).toEqual(
          [...Map.groupBy(calls, ({ keyId }) => keyId).values()].map(costOf).sort((a, b) => (a < b ? 1 : -1)),
        );
      }
    });

    test("are the same for books of an earlier version, once these are brought to this one", async () => {
      const calls = fc.sample(fc.record({ ...fields, at: anyTime }), { numRuns: runs(200), seed: 7 });
      await store().record(calls.map((given) => newCall({ ...given, organizationId: unique("org_") })));
      await store().record(calls.map((given) => newCall({ ...given, organizationId: null })));
      const { backend } = bench;
      const order = sql.raw("organization_id, team_id, key_id, user_id");
      const sums = async () => [
        (await sql`select * from usage_days order by ${order}, at, model, status`.execute(backend.db)).rows,
        (await sql`select * from usage_totals order by ${order}`.execute(backend.db)).rows,
      ];
      const kept = await sums();
      for (const table of ["usage_days", "usage_totals"]) await sql`drop table ${sql.table(table)}`.execute(backend.db);
      await inTransaction(backend.db, (tx) => largerSums.up(tx as never, columnsFor(backend.kind)));
      expect(await sums()).toEqual(kept);
    });
  });
}
