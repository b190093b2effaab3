import { afterAll, describe, expect, test } from "bun:test";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { DATABASES } from "../storage/databases.ts";
import { newCall } from "../storage/new-usage.ts";

interface Report {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly totals: Readonly<Record<string, unknown>>;
  readonly meta: { readonly source: string; readonly groupBy: readonly string[] };
}

const AT = Date.parse("2026-03-28T22:50:00Z");
const DAY_MS = 86_400_000;
const SPAN = "startDate=2026-03-01&endDate=2026-04-30&tz=UTC";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`usage by what only the log tells on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const owner = await newPerson(app);
    const stranger = await newPerson(app);
    const shared = { organizationId: owner.ownId, userId: owner.id, model: "a" };
    await app.storage.usage.record([
      newCall({ ...shared, at: AT, tags: ["blue", "red"], cost: 100n, firstByteMs: 40, cacheHit: true }),
      newCall({ ...shared, at: AT + 1, tags: ["blue"], cost: 10n, endpoint: "/v1/messages", stream: true }),
      newCall({ ...shared, at: AT + DAY_MS, cost: 1n, status: "failed", soundMs: 1500, provider: null, model: null }),
      newCall({ organizationId: stranger.ownId, at: AT, tags: ["blue"], cost: 5000n }),
    ]);
    const report = async (query: string) => (await owner.send("GET", `/api/gw/usage?${SPAN}&${query}`)).body as Report;
    const picked = async (query: string, ...fields: string[]) =>
      (await report(query)).data
        .map((row) => fields.map((field) => row[field]))
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));

    test("by endpoint", async () => {
      expect(await picked("groupBy=endpoint", "endpoint", "requests", "cost", "failedRequests")).toEqual([
        ["/v1/chat/completions", 2, 101, 1],
        ["/v1/messages", 1, 10, 0],
      ]);
      expect((await report("groupBy=endpoint")).meta).toMatchObject({ source: "log", groupBy: ["endpoint"] });
    });

    test("by tag: a call counts for each of its own, and once in all", async () => {
      expect(await picked("groupBy=tag", "tag", "requests", "cost")).toEqual([
        [null, 1, 1],
        ["blue", 2, 110],
        ["red", 1, 100],
      ]);
      expect((await report("groupBy=tag")).totals).toMatchObject({ requests: 3, cost: 111 });
    });

    test("together with what the sums know, in buckets", async () => {
      expect(await picked("groupBy=tag,model&bucket=day", "bucket", "tag", "model", "cost")).toEqual([
        ["2026-03-28", "blue", "a", 110],
        ["2026-03-28", "red", "a", 100],
        ["2026-03-29", null, null, 1],
      ]);
      expect(await picked("groupBy=endpoint&model=a", "endpoint", "cost")).toEqual([
        ["/v1/chat/completions", 100],
        ["/v1/messages", 10],
      ]);
    });

    test("every figure is the one that the sums have", async () => {
      const { totals, meta } = await report("groupBy=model");
      expect(meta.source).toBe("sums");
      expect((await report("groupBy=endpoint")).totals).toEqual(totals);
      expect((await report("groupBy=tag")).totals).toEqual(totals);
    });

    test("a model is the one that served, as in the sums, and not the one that was asked for", async () => {
      const person = await newPerson(app);
      const own = { organizationId: person.ownId, userId: person.id, at: AT };
      await app.storage.usage.record([
        newCall({ ...own, requestedModel: "a", model: "a", cost: 1n }),
        newCall({ ...own, requestedModel: "a", model: "stand-in", cost: 10n }),
        newCall({ ...own, requestedModel: "a", model: null, status: "rejected", cost: 0n }),
      ]);
      const ask = async (groupBy: string) =>
        (await person.send("GET", `/api/gw/usage?${SPAN}&model=a&groupBy=${groupBy}`)).body as Report;
      const sums = await ask("model");
      expect(sums.totals).toMatchObject({ requests: 1, cost: 1 });
      for (const groupBy of ["endpoint", "tag", "model,endpoint"])
        expect((await ask(groupBy)).totals).toEqual(sums.totals);
    });

    test("a member is who made the key, with the name that people know", async () => {
      expect(await picked("groupBy=member", "userId", "userEmail", "requests")).toEqual([[owner.id, owner.email, 3]]);
      expect((await report("groupBy=member")).data).toEqual((await report("groupBy=user")).data);
      expect(await picked("groupBy=member,endpoint", "userEmail", "endpoint")).toHaveLength(2);
    });

    test("what the log has forgotten is in the sums alone", async () => {
      await app.storage.usage.removeBefore(AT + DAY_MS / 2, owner.ownId, 100);
      expect((await report("groupBy=endpoint")).totals).toMatchObject({ requests: 1, cost: 1 });
      expect((await report("groupBy=member")).totals).toMatchObject({ requests: 3, cost: 111 });
    });
  });
}
