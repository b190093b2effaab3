import { afterAll, describe, expect, test } from "bun:test";
import type { UsageRecord } from "../../src/contract/usage.ts";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newCall } from "../storage/new-usage.ts";

interface Listed {
  data: { id: string; teamName: string | null; providerCost?: number; costUsd: string }[];
  meta: { page?: number; total?: number; totalPages?: number; nextCursor: string | null };
}

interface Stats extends Record<"users" | "organizations" | "teams" | "apiKeys", number> {
  last24Hours: { requests: number };
  last30Days: { requests: number; providerCost: number };
}

const AT = Date.parse("2026-05-10T12:00:00Z");

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the usage log over ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());

    /** An organization with one team, one key and somebody in it. */
    async function tenant() {
      const owner = await newPerson(app);
      const { body: team } = await owner.send("POST", "/api/gw/teams", { name: "Alpha" });
      const { id: teamId } = team as { id: string };
      const { body: key } = await owner.send("POST", "/api/gw/api-keys", { name: "First", team_id: teamId });
      const { id: keyId, token: keyValue } = key as { id: string; token: string };
      const record = async (given: Partial<UsageRecord> = {}) => {
        const owned = { organizationId: owner.ownId, teamId, keyId, keyName: "First", userId: owner.id };
        const call = newCall({ at: AT, ...owned, ...given });
        await app.storage.usage.record([call]);
        return call;
      };
      const list = async (query: string) => {
        const { status, body } = await owner.send("GET", `/api/gw/logs?${query}`);
        return { status, body: body as Listed, ids: (body as Listed).data?.map(({ id }) => id) };
      };
      return { owner, teamId, keyId, keyValue, record, list };
    }

    test("lists calls in pages and by cursor, and narrows by what is asked", async () => {
      const { record, list, keyId, keyValue, teamId, owner } = await tenant();
      const calls = [];
      for (let index = 0; index < 5; index++) calls.push(await record({ at: AT + index * 1000, cost: BigInt(index) }));
      const newest = calls.map(({ id }) => id).toReversed();
      const first = await list("pageSize=2");
      expect(first.ids).toEqual(newest.slice(0, 2));
      expect(first.body.meta).toMatchObject({ page: 1, total: 5, totalPages: 3 });
      await record({ at: AT + 60_000, status: "failed", model: null, provider: null, statusCode: 502 });
      const uncounted = await list("pageSize=2&cursor=");
      expect([uncounted.body.data.length, uncounted.body.meta.total]).toEqual([2, undefined]);
      const second = await list(`pageSize=2&cursor=${first.body.meta.nextCursor}`);
      expect(second.ids).toEqual(newest.slice(2, 4));
      const third = await list(`pageSize=2&cursor=${second.body.meta.nextCursor}`);
      expect([third.ids, third.body.meta.nextCursor]).toEqual([newest.slice(4), null]);

      expect((await list(`requestId=${newest[1]}`)).ids).toEqual(newest.slice(1, 2));
      expect((await list("minCost=4")).ids).toHaveLength(2);
      expect((await list("status=failure")).ids).toHaveLength(1);
      expect((await list("status=success&minCost=3")).ids).toEqual(newest.slice(0, 2));
      for (const name of ["apiKey", "keyId", "apiKeyId", "api_key"]) {
        expect((await list(`${name}=${keyId}&pageSize=1`)).body.meta.total).toBe(6);
      }
      expect((await list(`apiKey=${keyValue}&teamId=${teamId}&userId=${owner.id}`)).body.meta.total).toBe(6);
      expect((await list("apiKey=&teamId=&model=&page=9")).body.data).toEqual([]);
    });

    test("goes from the oldest on where that is asked, in pages and by cursor", async () => {
      const { record, list } = await tenant();
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) ids.push((await record({ at: AT + Math.floor(index / 2) * 1000 })).id);
      const oldest = (await list("sort=createdAt")).ids;
      expect(oldest.toSorted()).toEqual(ids.toSorted());
      expect(oldest).toEqual((await list("")).ids.toReversed());
      expect((await list("order=asc&pageSize=2&page=2")).ids).toEqual(oldest.slice(2, 4));
      const first = await list("order=asc&pageSize=3");
      const next = await list(`order=asc&pageSize=3&cursor=${first.body.meta.nextCursor}`);
      expect([...first.ids, ...next.ids]).toEqual(oldest);
    });

    test("goes on by a cursor in the order that it was given in, and refuses any other", async () => {
      const { record, list } = await tenant();
      for (let index = 0; index < 5; index++) await record({ at: AT + index * 1000 });
      for (const [given, same, other] of [
        ["", "sort=-createdAt", "order=asc"],
        ["sort=createdAt", "order=asc", ""],
      ] as const) {
        const first = await list(`${given}&pageSize=2&cursor=`);
        const page = `pageSize=2&cursor=${first.body.meta.nextCursor}`;
        const next = await list(`${same}&${page}`);
        expect(next.ids).toEqual((await list(`${given}&pageSize=2&page=2`)).ids);
        const refused = await list(`${other}&${page}`);
        expect([refused.status, refused.body]).toMatchObject([400, { error: expect.stringContaining("`order`") }]);
      }
    });

    test("takes dates as days of the zone and instants as they are", async () => {
      const { record, list } = await tenant();
      // 23:30 in Berlin, the next day in Kathmandu.
      const call = await record({ at: Date.parse("2026-05-10T21:30:00Z") });
      const found = async (query: string) => (await list(query)).ids?.includes(call.id);
      expect(await found("startDate=2026-05-10&endDate=2026-05-10&tz=Europe/Berlin")).toBe(true);
      expect(await found("start_date=2026-05-10&end_date=2026-05-10&tz=Asia/Kathmandu")).toBe(false);
      expect(await found("from=2026-05-11&to=2026-05-11&tz=Asia/Kathmandu")).toBe(true);
      expect(await found("endDate=2026-05-10T21:30:00Z")).toBe(false);
      expect(await found("startDate=2026-05-10T21:30:00Z")).toBe(true);
      const days = ["endDate=2026-02-30", "endDate=2026-02-30T12:00:00Z"];
      for (const bad of ["startDate=soon", ...days, "tz=Mars/Base", "cursor=%00", "status=odd"]) {
        expect((await list(bad)).status).toBe(400);
      }
    });

    test("shows one call with its attempts, its parts and its price list", async () => {
      const { record, owner } = await tenant();
      await app.storage.usage.savePrices({ id: "v1", prices: '{"input":"1"}', firstSeenAt: AT });
      const call = await record({
        cost: 1_500n,
        priceVersion: "v1",
        costParts: [{ component: "input", thousandths: 1_500n, femtoUsd: 2_500_000n, nanoUsd: 1_500n }],
        attempts: [{ deploymentId: "d", provider: "p", statusCode: 500, error: "upstream", latencyMs: 4 }],
      });
      await app.storage.usage.saveContents({ id: call.id, request: '{"model":"m"}', response: "not json" });
      const { status, body } = await owner.send("GET", `/api/gw/logs/${call.id}`);
      expect(status).toBe(200);
      expect(body as object).toMatchObject({
        id: call.id,
        createdAt: "2026-05-10T12:00:00.000Z",
        teamName: "Alpha",
        apiKeyName: "First",
        type: "chat",
        cost: 1500,
        costUsd: "0.0000015",
        costBreakdown: [
          { component: "input", units: "1.5", unitPriceUsd: "0.0000000025", cost: 1500, costUsd: "0.0000015" },
        ],
        attempts: [{ deploymentId: "d", error: "upstream" }],
        priceVersionId: "v1",
        prices: { input: "1" },
        request: { model: "m" },
        response: "not json",
        journalId: null,
      });
      expect(body as object).not.toHaveProperty("providerCost");
      const admin = await app.call(`/api/admin/logs/${call.id}`, { key: MASTER_KEY });
      expect(await admin.json()).toMatchObject({ providerCost: 1000, request: null, response: null });
      expect((await owner.send("GET", "/api/gw/logs/none")).status).toBe(404);
    });

    test("members see the calls of their teams only, viewers and administrators all of them", async () => {
      const { record, owner, teamId, keyId } = await tenant();
      const { body } = await owner.send("POST", "/api/gw/teams", { name: "Beta" });
      const otherId = (body as { id: string }).id;
      const [mine, theirs] = [await record(), await record({ teamId: otherId, keyId: crypto.randomUUID() })];
      const { organizationMembers, teamMembers } = app.storage.accounts;
      const join = async (role: "member" | "viewer") => {
        const person = await newPerson(app);
        const { id: userId } = person;
        await organizationMembers.insert({ organizationId: owner.ownId, userId, role, joinedAt: AT });
        if (role === "member") await teamMembers.insert({ teamId, userId, role: "member", joinedAt: AT });
        const headers = { "x-organization-id": owner.ownId };
        return async (path: string) => person.send("GET", path, undefined, headers);
      };
      const [member, viewer] = [await join("member"), await join("viewer")];
      const idsOf = async (see: typeof member) =>
        ((await see("/api/gw/logs")).body as Listed).data.map(({ id }) => id).toSorted();
      expect(await idsOf(member)).toEqual([mine.id]);
      expect(await idsOf(viewer)).toEqual([mine.id, theirs.id].toSorted());
      expect((await member(`/api/gw/logs/${theirs.id}`)).status).toBe(404);
      expect((await viewer(`/api/gw/logs/${theirs.id}`)).status).toBe(200);
      expect((await member(`/api/gw/logs?teamId=${otherId}`)).status).toBe(404);
      expect((await member(`/api/gw/logs?apiKey=${theirs.keyId}`)).status).toBe(404);
      expect((await viewer(`/api/gw/logs?apiKey=${theirs.keyId}`)).status).toBe(200);
      expect((await member(`/api/gw/logs?apiKey=${keyId}`)).status).toBe(200);
      const sum = async (see: typeof member) =>
        ((await see("/api/gw/usage?startDate=2026-05-10")).body as { totals: { requests: number } }).totals.requests;
      expect([await sum(member), await sum(viewer)]).toEqual([1, 2]);
    });

    test("a team and a key that are gone are still found under their names", async () => {
      const { record, owner, list, teamId, keyId } = await tenant();
      const call = await record();
      await owner.send("DELETE", `/api/gw/teams/${teamId}`);
      expect((await list(`teamId=${teamId}&apiKey=${keyId}`)).body.data).toMatchObject([
        { id: call.id, teamName: "Alpha", apiKeyName: "First" },
      ]);
      const { body } = await owner.send("GET", "/api/gw/usage?startDate=2026-05-10&groupBy=team,apiKey");
      expect((body as { data: object[] }).data).toMatchObject([{ teamName: "Alpha", apiKeyName: "First" }]);
    });

    test("administrators see every organization, and what providers ask", async () => {
      const [one, two] = [await tenant(), await tenant()];
      const calls = [await one.record(), await two.record()];
      const admin = async (path: string) => (await app.call(path, { key: MASTER_KEY })).json() as Promise<Listed>;
      const all = await admin("/api/admin/logs?pageSize=100");
      expect(all.data.map(({ id }) => id)).toEqual(expect.arrayContaining(calls.map(({ id }) => id)));
      const own = await admin(`/api/admin/logs?organizationId=${two.owner.ownId}&apiKey=${two.keyValue}`);
      expect(own.data).toMatchObject([{ id: calls[1]?.id, providerCost: 1000 }]);
      expect((await admin(`/api/admin/logs?userId=${one.owner.id}&teamId=${one.teamId}`)).data).toHaveLength(1);
      const { data } = await admin("/api/admin/usage?groupBy=organization&startDate=2026-05-10");
      expect(data).toContainEqual(
        expect.objectContaining({ organizationId: one.owner.ownId, requests: 1, providerCost: 1000 }),
      );
    });

    test("administrators are told how much there is, and was called in the last day and month", async () => {
      const stats = async () => {
        const body = await (await app.call("/api/admin/stats", { key: MASTER_KEY })).json();
        const { last24Hours: day, last30Days: month, ...counts } = body as Stats;
        const { users, organizations, teams, apiKeys } = counts;
        return [users, organizations, teams, apiKeys, day.requests, month.requests, month.providerCost];
      };
      const before = await stats();
      const { record } = await tenant();
      const hour = 60 * 60 * 1000;
      for (const hours of [1, 48, 31 * 24]) await record({ at: Date.now() - hours * hour });
      const after = await stats();
      // With the team that everybody begins with.
      expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1, 2, 1, 1, 2, 2000]);
    });
  });
}
