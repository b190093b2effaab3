import { describe, expect, test } from "bun:test";
import type { CallStatus, UsageRecord } from "../../../src/contract/usage.ts";
import { endedCall } from "../../../src/ledger/settle-store.ts";
import { foldRollups } from "../../../src/storage/usage/fold-rollups.ts";
import { insertUsage } from "../../../src/storage/usage/insert-usage.ts";
import { QUARTER_MS, quarterOf } from "../../../src/usage/rollup.ts";
import { AT, unique } from "../new-records.ts";
import { newCall } from "../new-usage.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

export function usageWriteSuite(bench: StoreBench): void {
  const rowOf = (id: string) =>
    bench.backend.db.selectFrom("usageLog").selectAll().where("id", "=", id).executeTakeFirst();
  const quartersOf = (keyId: string) =>
    bench.backend.db.selectFrom("usageQuarters").selectAll().where("keyId", "=", keyId).orderBy("at").execute();

  async function settle(records: readonly UsageRecord[]): Promise<ReadonlySet<string>> {
    return bench.backend.db.transaction().execute(async (db) => {
      const added = await insertUsage(
        db,
        records.map((record) => endedCall(record, [])),
      );
      await foldRollups(db, added);
      const ids = added.map(({ record }) => record.id);
      expect(ids).toHaveLength(new Set(ids).size);
      return new Set(ids);
    });
  }

  describe("a call that is written to the log", () => {
    test("is found as it was, with amounts beyond what a double holds", async () => {
      const call = newCall({
        userId: 7,
        stream: true,
        estimated: true,
        cost: 2n ** 62n + 1n,
        providerCost: -(2n ** 53n) - 1n,
        cacheWrite1hTokens: 5,
        soundMs: 2 ** 31 - 1,
        firstByteMs: 12,
        endUser: "Größe 🚀 'quoted' \"twice\"",
        tags: ["a,b", '"'],
        metadata: { deep: [{ x: null }], zero: "\u0000" },
        costParts: [{ component: "input", thousandths: 2n ** 60n, femtoUsd: 1n, nanoUsd: 3n }],
        attempts: [{ deploymentId: "d", provider: "p", statusCode: 500, error: "server", latencyMs: 3 }],
      });
      expect(await settle([call])).toEqual(new Set([call.id]));
      const { costParts, attempts, tags, metadata, teamName, entryId, ...plain } = { ...(await rowOf(call.id)) };
      const { costParts: _c, attempts: _a, tags: _t, metadata: _m, ...expected } = call;
      expect(plain as unknown).toEqual(expected);
      expect([teamName, entryId]).toEqual([null, null]);
      expect(JSON.parse(String(tags))).toEqual([...call.tags]);
      expect(JSON.parse(String(metadata))).toEqual(call.metadata);
      expect(JSON.parse(String(attempts))).toEqual([...call.attempts]);
      expect(JSON.parse(String(costParts))).toEqual([
        { component: "input", thousandths: String(2n ** 60n), femtoUsd: "1", nanoUsd: "3" },
      ]);
    });

    test("is written once, however often it comes, and only the first counts", async () => {
      const [call, other] = [newCall(), newCall()];
      expect(await settle([call, call])).toEqual(new Set([call.id]));
      expect(await settle([{ ...call, cost: 99n }, other])).toEqual(new Set([other.id]));
      expect(await settle([])).toEqual(new Set());
      expect((await rowOf(call.id))?.cost).toBe(call.cost);
      expect(await quartersOf(call.keyId)).toMatchObject([{ requests: 1n, cost: call.cost }]);
    });

    test("keeps the name of its team when the team is gone", async () => {
      const team = await bench.storedTeam();
      const call = newCall({ teamId: team.id, organizationId: team.organizationId });
      await settle([call]);
      await bench.stores.teams.remove(team.id);
      expect(await rowOf(call.id)).toMatchObject({ teamId: team.id, teamName: team.name });
    });

    test("holds up no other with what an upstream or a caller made up", async () => {
      const hostile = newCall({
        promptTokens: 1e300,
        completionTokens: Number.NaN,
        images: -5,
        characters: undefined as unknown as number,
        latencyMs: 3.7,
        requestedModel: `\u0000\ud800${"m".repeat(10_000)}`,
        model: "x".repeat(5_000),
        endUser: "\udfff",
        userAgent: "🚀".repeat(5_000),
        tags: ["\u0000t"],
        metadata: { "\ud800": "\u0000" },
      });
      const good = newCall();
      expect(await settle([hostile, good])).toEqual(new Set([hostile.id, good.id]));
      expect(await rowOf(hostile.id)).toMatchObject({
        promptTokens: 2 ** 31 - 1,
        completionTokens: 0,
        images: 0,
        characters: 0,
        latencyMs: 4,
        endUser: "\ufffd",
        tags: '["t"]',
      });
    });

    test.each([
      ["a zero character", "a\u0000b"],
      ["halves of pairs", "\ud800a\udfff"],
      ["too much", "🚀".repeat(5_000)],
    ])("is written though %s stands in every text", async (_, text) => {
      const names = {
        keyName: text,
        endpoint: text,
        requestedModel: text,
        model: text,
        deploymentId: text,
        provider: text,
        upstreamModel: text,
        upstreamId: text,
        errorCode: text,
        address: text,
        userAgent: text,
        endUser: text,
      };
      const attempts = [{ deploymentId: text, provider: text, statusCode: 500, error: text, latencyMs: 3 }];
      const hostile = newCall({ ...names, attempts, tags: [text], metadata: { [text]: [text] }, cost: 7n });
      expect(await settle([hostile, newCall()])).toHaveProperty("size", 2);
      const row = await rowOf(hostile.id);
      expect(row).toMatchObject({ cost: 7n });
      for (const name of Object.keys(names) as (keyof typeof names)[]) {
        expect(row?.[name]).not.toContain("\u0000");
        expect(row?.[name]?.isWellFormed()).toBe(true);
        expect(row?.[name]?.length).toBeLessThanOrEqual(1_024);
      }
      expect(await quartersOf(hostile.keyId)).toMatchObject([{ requests: 1n, cost: 7n }]);
    });

    test("has one of the statuses", async () => {
      const odd = newCall({ status: "odd" as CallStatus });
      expect(await rejection(settle([odd]))).toHaveProperty("message", expect.stringMatching(/check/i));
      expect(await rowOf(odd.id)).toBeUndefined();
    });
  });

  describe("the sums by quarter of an hour", () => {
    test("add up over batches, apart by what calls are told apart by", async () => {
      const keyId = unique("key_");
      const start = quarterOf(AT);
      const call = (given: Partial<UsageRecord>) => newCall({ keyId, at: start, ...given });
      await settle([call({}), call({ at: start + QUARTER_MS - 1, firstByteMs: 40, cacheHit: true })]);
      await settle([call({ at: start + 5 }), call({ at: start + QUARTER_MS, cost: 2n ** 60n })]);
      await settle([call({ status: "failed", model: null, provider: null, userId: 3 })]);
      const rows = await quartersOf(keyId);
      expect(rows).toHaveLength(3);
      expect(rows).toContainEqual(
        expect.objectContaining({
          at: start,
          status: "succeeded",
          organizationId: "",
          userId: 0,
          requests: 3n,
          promptTokens: 300n,
          cost: 3n * 1_234n,
          cacheHits: 1n,
          latencyMs: 750n,
          firstByteMs: 40n,
          firstByteCalls: 1n,
          lastAt: start + QUARTER_MS - 1,
        }),
      );
      expect(rows).toContainEqual(
        expect.objectContaining({ at: start + QUARTER_MS, requests: 1n, cost: 2n ** 60n, lastAt: start + QUARTER_MS }),
      );
      expect(rows).toContainEqual(
        expect.objectContaining({ status: "failed", model: "", provider: "", userId: 3, requests: 1n }),
      );
    });

    test("are undone with their transaction", async () => {
      const call = newCall();
      const failed = bench.backend.db.transaction().execute(async (db) => {
        await insertUsage(db, [endedCall(call, [])]);
        await foldRollups(db, [{ record: call }]);
        throw new Error("no");
      });
      expect(await rejection(failed)).toHaveProperty("message", "no");
      expect(await rowOf(call.id)).toBeUndefined();
      expect(await quartersOf(call.keyId)).toEqual([]);
    });
  });
}
