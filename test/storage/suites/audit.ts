import { describe, expect, test } from "bun:test";
import type { AuditEntry, LoggedEntry } from "../../../src/accounts/records.ts";
import type { AuditFilter } from "../../../src/accounts/store.ts";
import { AT, newAuditEntry, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const ALL = { page: 1, pageSize: 1000 };

export function auditSuite(bench: StoreBench): void {
  /** As it is read then: nobody seals here. */
  async function stored(given: Partial<AuditEntry>): Promise<LoggedEntry> {
    const entry = newAuditEntry(given);
    await bench.stores.audit.insert(entry);
    return { ...entry, seq: null, hash: null };
  }

  describe("the audit log", () => {
    test("an entry is found as it was stored, whether or not those whom it names exist", async () => {
      const organizationId = unique("org_");
      const entry = await stored({
        actor: "user",
        userId: 987_654,
        organizationId,
        details: { name: { from: "Größe", to: "🚀" }, models: ["a"], none: null },
        address: "192.0.2.1",
      });
      expect(await bench.stores.audit.list({ organizationId }, ALL)).toEqual({ rows: [entry], total: 1 });
      const bare = await stored({ actor: "master_key", action: unique("bare.") });
      expect(await bench.stores.audit.list({ action: bare.action }, ALL)).toEqual({ rows: [bare], total: 1 });
    });

    test("details keep keys that mean something to JavaScript", async () => {
      const text = '{"__proto__":{"polluted":true},"list":[{"__proto__":1}]}';
      const { action } = await stored({ action: unique("proto."), details: JSON.parse(text) });
      const { rows } = await bench.stores.audit.list({ action }, ALL);
      expect(rows.map((entry) => JSON.stringify(entry.details))).toEqual([text]);
      expect({}).not.toHaveProperty("polluted");
    });

    test("the newest come first, in pages; within a millisecond the later id", async () => {
      const organizationId = unique("org_");
      const a = await stored({ organizationId, at: AT });
      const d = await stored({ organizationId, at: AT + 20 });
      const b = await stored({ organizationId, at: AT + 10 });
      const c = await stored({ organizationId, at: AT + 10 });
      const list = (page: number) => bench.stores.audit.list({ organizationId }, { page, pageSize: 3 });
      expect(await list(1)).toEqual({ rows: [d, c, b], total: 4 });
      expect(await list(2)).toEqual({ rows: [a], total: 4 });
      expect(await list(3)).toEqual({ rows: [], total: 4 });
    });

    test("the list goes by organization, action and user, and by all of them", async () => {
      const [organizationId, action, userId] = [unique("org_"), unique("do."), 5_000_000];
      const wanted = await stored({ organizationId, action, userId });
      const [elsewhere, otherwise, another] = [
        await stored({ action, userId }),
        await stored({ organizationId, userId }),
        await stored({ organizationId, action, userId: userId + 1 }),
      ];
      const { audit } = bench.stores;
      expect((await audit.list({ organizationId, action, userId }, ALL)).rows).toEqual([wanted]);
      expect((await audit.list({ organizationId }, ALL)).rows).toEqual([another, otherwise, wanted]);
      expect((await audit.list({ action }, ALL)).rows).toEqual([another, elsewhere, wanted]);
      expect((await audit.list({ userId }, ALL)).rows).toEqual([otherwise, elsewhere, wanted]);
      const everything = await audit.list({}, ALL);
      expect(everything.total).toBe(everything.rows.length);
      expect(everything.rows).toContainEqual(elsewhere);
    });

    test("the list goes by who it was without a name, and by what was changed", async () => {
      const organizationId = unique("org_");
      const target = { targetType: unique("kind_"), targetId: unique("id_") };
      const wanted = await stored({ organizationId, actor: "system", ...target });
      const [another, kind, id] = [
        await stored({ organizationId, actor: "master_key", ...target }),
        await stored({ organizationId, actor: "system", targetType: target.targetType }),
        await stored({ organizationId, actor: "system", targetId: target.targetId }),
      ];
      const list = async (filter: AuditFilter) =>
        (await bench.stores.audit.list({ organizationId, ...filter }, ALL)).rows;
      expect(await list({ actor: "system" })).toEqual([id, kind, wanted]);
      expect(await list({ targetType: target.targetType })).toEqual([kind, another, wanted]);
      expect(await list({ targetId: target.targetId })).toEqual([id, another, wanted]);
      expect(await list({ actor: "system", ...target })).toEqual([wanted]);
      expect(await bench.stores.audit.listAfter({ organizationId, actor: "system", ...target }, null, 9)).toEqual([
        wanted,
      ]);
    });

    test("the list goes by time, from its start and before its end", async () => {
      const organizationId = unique("org_");
      const [a, b, c] = [
        await stored({ organizationId, at: AT }),
        await stored({ organizationId, at: AT + 1 }),
        await stored({ organizationId, at: AT + 2 }),
      ];
      const list = async (range: { startMs?: number; endMs?: number }) =>
        (await bench.stores.audit.list({ organizationId, ...range }, ALL)).rows;
      expect(await list({ startMs: AT + 1 })).toEqual([c, b]);
      expect(await list({ endMs: AT + 1 })).toEqual([a]);
      expect(await list({ startMs: AT + 1, endMs: AT + 2 })).toEqual([b]);
    });

    test("what is behind an entry is read on without a gap or a repetition, whatever comes in meanwhile", async () => {
      const organizationId = unique("org_");
      const all: LoggedEntry[] = [];
      for (const at of [AT, AT, AT, AT + 1, AT + 1]) all.unshift(await stored({ organizationId, at }));
      const { audit } = bench.stores;
      const first = await audit.listAfter({ organizationId }, null, 2);
      await stored({ organizationId, at: AT + 9 });
      const second = await audit.listAfter({ organizationId }, first.at(-1) ?? null, 2);
      const third = await audit.listAfter({ organizationId }, second.at(-1) ?? null, 2);
      expect([...first, ...second, ...third]).toEqual(all);
    });

    test("an id is taken once, and the actor is one of the list", async () => {
      const entry = await stored({});
      expect(await rejection(bench.stores.audit.insert(entry))).toMatchObject({ kind: "conflict" });
      const nobody = newAuditEntry({ actor: "nobody" as AuditEntry["actor"] });
      expect(await rejection(bench.stores.audit.insert(nobody))).toHaveProperty(
        "message",
        expect.stringMatching(/check/i),
      );
    });
  });
}
