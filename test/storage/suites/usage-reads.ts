import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CALL_STATUSES, type UsageRecord } from "../../../src/contract/usage.ts";
import { findTimeZone } from "../../../src/lib/time-zone.ts";
import { usageStore } from "../../../src/storage/usage/usage-store.ts";
import { BUCKETS, cutInto } from "../../../src/usage/buckets.ts";
import { wholeQuarters } from "../../../src/usage/date-range.ts";
import { QUARTER_MS } from "../../../src/usage/rollup.ts";
import { DIMENSIONS, type LogFilter, type UsageGroup } from "../../../src/usage/store.ts";
import { AT, newKey, unique } from "../new-records.ts";
import { newCall } from "../new-usage.ts";
import type { StoreBench } from "../store-bench.ts";

const DAY_MS = 86_400_000;
const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Santiago"];
const NEWEST = { order: "newest", limit: 100 } as const;

export function usageReadSuite(bench: StoreBench): void {
  const store = () => usageStore(bench.backend.db);
  const idsOf = async (filter: LogFilter) => (await store().list(filter, NEWEST)).map(({ id }) => id);

  describe("the log", () => {
    test("gives a call back as it was", async () => {
      const call = newCall({
        costParts: [{ component: "input", thousandths: 2n ** 60n, femtoUsd: 5n, nanoUsd: 3n }],
        attempts: [{ deploymentId: "d", provider: "p", statusCode: 200, error: null, latencyMs: 3 }],
        tags: ["a"],
        metadata: { b: 1 },
      });
      await store().record([call]);
      expect(await store().find(call.id)).toEqual({ ...call, teamName: null, entryId: null });
      expect(await store().find("no-such-call")).toBeNull();
    });

    test("narrows by every field of the filter", async () => {
      const organizationId = unique("org_");
      const wanted = newCall({
        organizationId,
        teamId: "t1",
        keyId: unique("key_"),
        userId: 77,
        model: "m1",
        requestedModel: "alias",
        provider: "p1",
        operation: "embedding",
        status: "partial",
        cost: 500n,
        stream: true,
        endUser: 'o"neil',
        tags: ["blue", 'a"b'],
      });
      const other = newCall({ organizationId, teamId: "t2", at: AT + 5, tags: ['x"b'] });
      await store().record([wanted, other]);
      expect(await idsOf({ organizationIds: [organizationId, "other"], teamIds: ["t1"] })).toEqual([wanted.id]);
      expect(await idsOf({ organizationIds: [] })).toEqual([]);
      const filters: LogFilter[] = [
        { teamIds: ["t1", "t9"] },
        { keyId: wanted.keyId },
        { userId: 77 },
        { model: "m1" },
        { model: "alias" },
        { provider: "p1" },
        { operation: "embedding" },
        { statuses: ["partial", "failed"] },
        { end: AT + 5 },
        { id: wanted.id },
        { maxCost: 500n },
        { stream: true },
        { endUser: 'o"neil' },
        { tag: "blue" },
        { tag: 'a"b' },
      ];
      for (const filter of filters) expect(await idsOf({ organizationId, ...filter })).toEqual([wanted.id]);
      for (const filter of [{ start: AT + 1 }, { minCost: 501n }, { stream: false }, { tag: 'x"b' }] as LogFilter[]) {
        expect(await idsOf({ organizationId, ...filter })).toEqual([other.id]);
      }
      for (const filter of [{ teamIds: [] }, { statuses: [] }, { tag: "b" }, { tag: "%" }] as LogFilter[]) {
        expect(await idsOf({ organizationId, ...filter })).toEqual([]);
      }
      expect(await store().count({ organizationId })).toBe(2);
    });

    test("is read to its end by cursor, each call once, while new calls come in", async () => {
      const organizationId = unique("org_");
      const calls = Array.from({ length: 25 }, (_, index) =>
        newCall({ organizationId, at: AT + Math.floor(index / 4) }),
      );
      await store().record(calls);
      const seen: string[] = [];
      for (let after: UsageRecord | null = null; ; ) {
        const part = await store().list({ organizationId }, { order: "newest", limit: 4, after });
        seen.push(...part.map(({ id }) => id));
        await store().record([newCall({ organizationId, at: AT + 1000 + seen.length })]);
        after = part.at(-1) ?? null;
        if (after === null) break;
      }
      const order = calls.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
      expect(seen).toEqual(order);
      const oldest = await store().list({ organizationId }, { order: "oldest", limit: 3, offset: 1 });
      expect(oldest.map(({ id }) => id)).toEqual(order.toReversed().slice(1, 4));
    });
  });

  describe("sums over time", () => {
    const given = fc.record({
      at: fc.integer({ min: AT - 200 * DAY_MS, max: AT + 200 * DAY_MS }),
      teamId: fc.constantFrom("a", "b", null),
      model: fc.constantFrom("m", "n", null),
      provider: fc.constantFrom("p", "q"),
      userId: fc.constantFrom(1, 2, null),
      status: fc.constantFrom(...CALL_STATUSES),
      cost: fc.bigInt({ min: 0n, max: 2n ** 50n }),
      promptTokens: fc.nat(1_000_000),
      firstByteMs: fc.option(fc.nat(5000), { nil: null }),
      cacheHit: fc.boolean(),
    });

    const total = (groups: readonly UsageGroup[]) => {
      const sum = (name: "requests" | "cost" | "promptTokens" | "failed" | "firstByteCalls") =>
        groups.reduce((before, { sums }) => before + sums[name], 0n);
      return [sum("requests"), sum("cost"), sum("promptTokens"), sum("failed"), sum("firstByteCalls")];
    };

    test("over any partition of time, in any zone, by anything, add up to the sum of all", async () => {
      const cases = fc.sample(
        fc.record({
          calls: fc.array(given, { minLength: 20, maxLength: 60 }),
          zone: fc.constantFrom(...ZONES),
          size: fc.constantFrom(...BUCKETS.slice(1)),
          by: fc.subarray([...DIMENSIONS]),
          from: fc.integer({ min: -210 * DAY_MS, max: 0 }),
          until: fc.integer({ min: 0, max: 210 * DAY_MS }),
        }),
        { numRuns: 12, seed: 42 },
      );
      for (const { calls, zone, size, by, from, until } of cases) {
        const organizationId = unique("org_");
        const records = calls.map((fields) => newCall({ ...fields, organizationId, keyId: "k" }));
        await store().record(records);
        const range = wholeQuarters({ start: AT + from, end: AT + until });
        const found = findTimeZone(zone);
        if (!found) throw new Error(zone);
        const inside = records.filter(({ at }) => at >= range.start && at < range.end);
        const expected = [
          BigInt(inside.length),
          inside.reduce((sum, { cost }) => sum + cost, 0n),
          inside.reduce((sum, { promptTokens }) => sum + BigInt(promptTokens), 0n),
          BigInt(inside.filter(({ status }) => status !== "succeeded" && status !== "cancelled").length),
          BigInt(inside.filter(({ firstByteMs }) => firstByteMs !== null).length),
        ];
        expect(total(await store().sum({ organizationId }, [range], []))).toEqual(
          inside.length === 0 ? [0n, 0n, 0n, 0n, 0n] : expected,
        );
        const buckets = cutInto(size, found, range);
        const sums = await store().sum({ organizationId }, buckets, by);
        expect(total(sums)).toEqual(expected);
        const fromLog = await store().sumLog({ organizationId }, buckets, by);
        expect(fromLog).toHaveLength(sums.length);
        expect(fromLog).toContainValues([...sums]);
        expect(total(await store().sumLog({ organizationId }, buckets, [...by, "endpoint"]))).toEqual(expected);
      }
    });

    test("put a call into the day that its own zone has", async () => {
      const organizationId = unique("org_");
      // 18:20 UTC is before midnight in Delhi (23:50) and after it in Kathmandu (00:05).
      await store().record([newCall({ organizationId, at: Date.parse("2026-05-10T18:20:00Z") })]);
      const range = { start: Date.parse("2026-05-09T00:00:00Z"), end: Date.parse("2026-05-12T00:00:00Z") };
      const dayIn = async (name: string) => {
        const zone = findTimeZone(name);
        if (!zone) throw new Error(name);
        const [group] = await store().sum({ organizationId }, cutInto("day", zone, range), []);
        return new Date(zone.dayOf(group?.start ?? 0)).toISOString().slice(0, 10);
      };
      expect([await dayIn("Asia/Kolkata"), await dayIn("Asia/Kathmandu")]).toEqual(["2026-05-10", "2026-05-11"]);
    });

    test("are told apart and narrowed, and calls without a model are a group of their own", async () => {
      const organizationId = unique("org_");
      const call = (fields: Partial<UsageRecord>) => newCall({ organizationId, keyId: "k", ...fields });
      await store().record([
        call({ model: "m", userId: 5 }),
        call({ model: "m", status: "failed", cost: 0n }),
        call({ model: null, status: "rejected", cost: 0n, at: AT + QUARTER_MS }),
      ]);
      const range = wholeQuarters({ start: AT, end: AT + 1 });
      const all = [wholeQuarters({ start: AT, end: AT + 2 * QUARTER_MS })];
      const byModel = await store().sum({ organizationId }, all, ["model"]);
      expect(byModel.map(({ values, sums }) => [values, sums.requests, sums.failed, sums.cost])).toContainValues([
        [{ model: "m" }, 2n, 1n, 1234n],
        [{ model: null }, 1n, 1n, 0n],
      ]);
      expect(total(await store().sum({ organizationId }, [range], [])).at(0)).toBe(2n);
      expect(total(await store().sum({ organizationId, userId: 5 }, all, [])).at(0)).toBe(1n);
      expect(total(await store().sum({ organizationId, statuses: ["failed", "rejected"] }, all, [])).at(0)).toBe(2n);
      expect(total(await store().sum({ organizationIds: [organizationId, "other"] }, all, [])).at(0)).toBe(3n);
      expect(await store().sum({ organizationIds: [] }, all, [])).toEqual([]);
      expect(await store().sum({ organizationId, teamIds: [] }, all, [])).toEqual([]);
      expect(await store().sum({ organizationId }, [], [])).toEqual([]);
    });
  });

  describe("what was spent", () => {
    test("by tag and by end user, the dearest first", async () => {
      const organizationId = unique("org_");
      await store().record([
        newCall({ organizationId, tags: ["a", "b"], endUser: "eve", cost: 5n }),
        newCall({ organizationId, tags: ["b"], cost: 2n ** 55n }),
        newCall({ organizationId: unique("org_"), tags: ["a"] }),
      ]);
      const sum = { promptTokens: 100n, completionTokens: 10n };
      expect(await store().sumTexts({ organizationId }, "tag")).toEqual([
        { text: "b", requests: 2n, cost: 2n ** 55n + 5n, promptTokens: 200n, completionTokens: 20n },
        { text: "a", requests: 1n, cost: 5n, ...sum },
      ]);
      expect(await store().sumTexts({ organizationId }, "endUser")).toEqual([
        { text: "eve", requests: 1n, cost: 5n, ...sum },
      ]);
    });

    test("by key, team, person and organization, and when last", async () => {
      const [organizationId, keyId, teamId] = [unique("org_"), unique("key_"), unique("team_")];
      await store().record([
        newCall({ organizationId, keyId, teamId, userId: 4_000_001, at: AT }),
        newCall({ organizationId, keyId, teamId, at: AT + DAY_MS }),
        newCall({ organizationId, cost: 7n }),
      ]);
      expect(await store().spendOf({ keyId })).toEqual({ cost: 2468n, requests: 2n, lastAt: AT + DAY_MS });
      expect(await store().spendOf({ teamIds: [teamId] })).toMatchObject({ cost: 2468n });
      expect(await store().spendOf({ userId: 4_000_001 })).toEqual({ cost: 1234n, requests: 1n, lastAt: AT });
      expect(await store().spendOf({ organizationId })).toMatchObject({ cost: 2475n, requests: 3n });
      expect(await store().spendOf({ keyId: "none" })).toEqual({ cost: 0n, requests: 0n, lastAt: null });
      const keys = await store().spendOfKeys([keyId, "none"]);
      expect([...keys]).toEqual([[keyId, { cost: 2468n, requests: 2n, lastAt: AT + DAY_MS }]]);
      expect((await store().spendOfKeys([])).size).toBe(0);
      const teams = await store().spendOfTeams([teamId, "none"]);
      expect([...teams]).toEqual([[teamId, { cost: 2468n, requests: 2n, lastAt: AT + DAY_MS }]]);
      expect((await store().spendOfTeams([])).size).toBe(0);
      expect(await store().hasCalls({ organizationId, keyId })).toBe(true);
      expect(await store().hasCalls({ organizationId: "other", keyId })).toBe(false);
    });

    test("by provider and by deployment, as the provider charges and from one time to another", async () => {
      const [provider, deploymentId, other] = [unique("provider_"), unique("deployment_"), unique("deployment_")];
      const quarterMs = 900_000;
      const start = Math.floor(AT / quarterMs) * quarterMs;
      await store().record([
        newCall({ provider, deploymentId, at: start - 1, providerCost: 1n }),
        newCall({ provider, deploymentId, at: start, providerCost: 10n }),
        newCall({ provider, deploymentId: other, at: start + quarterMs - 1, providerCost: 100n }),
        newCall({ provider, deploymentId, at: start + quarterMs, providerCost: 1_000n }),
        newCall({ provider: null, deploymentId: null, at: start }),
      ]);
      const range = { start, end: start + quarterMs };
      expect([...(await store().providerCosts("provider", [provider, "none"], range))]).toEqual([[provider, 110n]]);
      const own = await store().providerCosts("deployment", [deploymentId, other], range);
      expect(Object.fromEntries(own)).toEqual({ [deploymentId]: 10n, [other]: 100n });
      const later = { start, end: start + DAY_MS };
      expect([...(await store().providerCosts("deployment", [deploymentId], later))]).toEqual([[deploymentId, 1_010n]]);
      expect((await store().providerCosts("provider", [], range)).size).toBe(0);
    });

    test("is told with the names of keys and teams, also when they are gone", async () => {
      const user = await bench.storedUser();
      const [team, gone] = [await bench.storedTeam(), await bench.storedTeam()];
      const key = newKey(team.id, { name: "Present" });
      await bench.stores.keys.insert(key);
      const lost = newCall({ keyName: "Lost", teamId: gone.id });
      await store().record([lost]);
      await bench.stores.teams.remove(gone.id);
      const names = await store().namesOf([
        { values: { teamId: team.id, keyId: key.id, userId: user.id, organizationId: team.organizationId } },
        { values: { teamId: gone.id, keyId: lost.keyId, userId: null } },
        { values: { teamId: "never", keyId: "never", userId: 2_000_000_000 } },
      ]);
      expect([...names.teams]).toEqual([
        [team.id, team.name],
        [gone.id, gone.name],
      ]);
      expect([...names.keys]).toEqual([
        [key.id, { name: "Present", handle: key.handle }],
        [lost.keyId, { name: "Lost", handle: null }],
      ]);
      expect([...names.users]).toEqual([[user.id, { externalId: null, email: user.email }]]);
      expect([...names.organizations.keys()]).toEqual([team.organizationId]);
    });
  });

  describe("keeping", () => {
    test("contents and price lists are found as they were first stored", async () => {
      const id = unique("call_");
      await store().saveContents({ id, request: '{"a":1}', response: null });
      await store().saveContents({ id, request: "other", response: "other" });
      expect(await store().findContents(id)).toEqual({ id, request: '{"a":1}', response: null });
      expect(await store().findContents("none")).toBeNull();
      await store().savePrices({ id, prices: "[]", firstSeenAt: AT });
      await store().savePrices({ id, prices: "[1]", firstSeenAt: AT + 1 });
      expect(await store().findPrices(id)).toEqual({ id, prices: "[]", firstSeenAt: AT });
      expect(await store().findPrices("none")).toBeNull();
    });

    test("old calls go in small steps, with their contents; sums stay", async () => {
      const organizationId = unique("org_");
      const old = Array.from({ length: 5 }, (_, index) => newCall({ organizationId, at: AT + index }));
      const fresh = newCall({ organizationId, at: AT + DAY_MS });
      const foreign = newCall({ organizationId: unique("org_"), at: AT });
      await store().record([...old, fresh, foreign]);
      await store().saveContents({ id: String(old[0]?.id), request: "{}", response: "{}" });
      const before = await store().spendOf({ organizationId });
      expect(await store().removeBefore(AT + DAY_MS, organizationId, 3)).toBe(3);
      expect(await store().findContents(String(old[0]?.id))).toBeNull();
      expect(await store().removeBefore(AT + DAY_MS, organizationId, 3)).toBe(2);
      expect(await store().removeBefore(AT + DAY_MS, organizationId, 3)).toBe(0);
      expect(await idsOf({ organizationId })).toEqual([fresh.id]);
      expect(await store().find(foreign.id)).not.toBeNull();
      expect(await store().spendOf({ organizationId })).toEqual(before);
    });

    test("what deployments and tags with budgets have spent is told after their calls are gone, to the nano-dollar", async () => {
      const [organizationId, deployment, tag, other] = [unique("org_"), unique("dep_"), unique("tag_"), unique("tag_")];
      const start = Math.floor(AT / 900_000) * 900_000;
      const costs = async (by: "deployment" | "tag", range = { start, end: start + DAY_MS }) =>
        Object.fromEntries(await store().providerCosts(by, [deployment, tag, other], range));
      const made = (at: number, providerCost: bigint, tags: string[], deploymentId = deployment) =>
        newCall({ organizationId, deploymentId, at, providerCost, tags });
      await store().record([
        made(start, 1n, [tag, "made up"]),
        made(start + 1, 10n, [tag, other]),
        made(start + 900_000, 100n, [tag], unique("dep_")),
        made(start + 900_001, 0n, [tag]),
        made(start + 1_800_000, 1_000n, [other]),
        made(start - 1, 10_000n, [tag]),
      ]);
      const before = [await costs("deployment"), await costs("tag")];
      expect(before).toEqual([{ [deployment]: 1_011n }, { [tag]: 111n, [other]: 1_010n }]);
      const kept = { startMs: start, deployments: new Set([deployment]), tags: new Set([tag, other]) };
      // In steps, so that sums are added to.
      for (const gone of [2, 2, 2, 0]) {
        expect(await store().removeBefore(start + DAY_MS, organizationId, 2, kept)).toBe(gone);
        expect([await costs("deployment"), await costs("tag")]).toEqual(before);
      }
      const first = { start, end: start + 900_000 };
      expect([await costs("deployment", first), await costs("tag", first)]).toEqual([
        { [deployment]: 11n },
        { [tag]: 11n, [other]: 10n },
      ]);
      const from = (ms: number) => ({ start: ms, end: start + DAY_MS });
      expect(await costs("tag", from(start - DAY_MS))).toEqual({ [tag]: 111n, [other]: 1_010n });
      // What was spent in windows that are over is forgotten.
      await store().record([made(start, 1n, [])]);
      const next = { ...kept, startMs: start + 900_000 };
      expect(await store().removeBefore(start + DAY_MS, organizationId, 2, next)).toBe(1);
      expect(await costs("tag")).toEqual({ [tag]: 100n, [other]: 1_000n });
    });

    test("calls leave the log with as many tags as calls can have", async () => {
      const organizationId = unique("org_");
      const calls = Array.from({ length: 500 }, (_, call) =>
        newCall({
          organizationId,
          providerCost: 1n,
          tags: Array.from({ length: 50 }, (_, tag) => `many ${call} ${tag}`),
        }),
      );
      await store().record(calls);
      const tags = new Set(calls.flatMap((call) => call.tags));
      const kept = { startMs: 0, deployments: new Set<string>(), tags };
      expect(await store().removeBefore(AT + DAY_MS, organizationId, 500, kept)).toBe(500);
      const names = ["many 0 0", "many 499 49"];
      const costs = await store().providerCosts("tag", names, { start: 0, end: AT + DAY_MS });
      expect(Object.fromEntries(costs)).toEqual({ "many 0 0": 1n, "many 499 49": 1n });
    });

    test("organizations with a time of their own are listed", async () => {
      const { id } = await bench.storedOrganization({ dataRetentionDays: 30 });
      const unbounded = await bench.storedOrganization();
      const listed = await store().listRetentions();
      expect(listed).toContainEqual({ organizationId: id, days: 30 });
      expect(listed.map(({ organizationId }) => organizationId)).not.toContain(unbounded.id);
    });
  });
}
