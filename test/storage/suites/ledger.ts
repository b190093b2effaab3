import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { cashOf, type Entry, GRANTS, REVENUE, transfer, walletOf } from "../../../src/ledger/entry.ts";
import type { LedgerStore } from "../../../src/ledger/store.ts";
import { newId } from "../../../src/lib/ids.ts";
import { ledgerStore } from "../../../src/storage/ledger/ledger-store.ts";
import { AT, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const ALL = { page: 1, pageSize: 100 };

/** What every implementation of the books guarantees. */
export function ledgerSuite(bench: StoreBench): void {
  const store = (): LedgerStore => ledgerStore(bench.backend.db);

  const entry = (organizationId: string, amount: bigint, given: Partial<Entry> = {}): Entry => ({
    id: newId(),
    key: unique("key:"),
    kind: "grant",
    at: AT,
    organizationId,
    actor: "system",
    reason: "Größe 🚀",
    details: { by: "a test" },
    postings: transfer(GRANTS, walletOf(organizationId), amount),
    ...given,
  });
  const usage = (organizationId: string, cost: bigint): Entry =>
    entry(organizationId, 0n, { kind: "usage", postings: transfer(walletOf(organizationId), REVENUE, cost) });
  const statusesOf = async (organizationId: string) =>
    (await bench.stores.teams.list(organizationId)).map(({ team }) => [team.status, team.blockedReason]);

  describe("the ledger", () => {
    test("an organization without entries has nothing", async () => {
      const id = unique("org_");
      const wallet = { organizationId: id, balance: 0n, held: 0n, purchased: 0n, granted: 0n, used: 0n };
      expect(await store().wallet(id)).toEqual({ ...wallet, blockedTeams: 0, updatedAt: null });
      expect(await store().list(id, ALL)).toEqual({ rows: [], total: 0 });
    });

    test("entries add up, by kind and in the running balance, beyond what a double can count", async () => {
      const id = unique("org_");
      const big = 2n ** 52n + 1n;
      const topUp = entry(id, 0n, { kind: "topup", postings: transfer(cashOf("test"), walletOf(id), big) });
      const grant = entry(id, 5n);
      const used = usage(id, 7n);
      for (const each of [topUp, grant, used]) expect(await store().post(each)).toMatchObject({ posted: true });
      expect(await store().wallet(id)).toMatchObject({
        balance: big - 2n,
        purchased: big,
        granted: 5n,
        used: 7n,
        updatedAt: AT,
      });
      const { rows, total } = await store().list(id, ALL);
      expect(total).toBe(3);
      expect(rows.map(({ id: entryId, amount, balance }) => [entryId, amount, balance])).toEqual([
        [used.id, -7n, big - 2n],
        [grant.id, 5n, big + 5n],
        [topUp.id, big, big],
      ]);
      expect(rows[1]).toMatchObject({
        kind: "grant",
        actor: "system",
        reason: "Größe 🚀",
        details: { by: "a test" },
        at: AT,
      });
      const second = await store().list(id, { page: 2, pageSize: 2 });
      expect(second.rows.map(({ balance }) => balance)).toEqual([big]);
    });

    test("the same key counts once, however many ask at once", async () => {
      const id = unique("org_");
      const first = entry(id, 11n);
      const again = () => ({ ...first, id: newId(), at: AT + 5, reason: "again" });
      const outcomes = await Promise.all([first, again(), again(), again()].map((each) => store().post(each)));
      expect(outcomes.filter(({ posted }) => posted)).toHaveLength(1);
      expect(new Set(outcomes.map(({ entryId }) => entryId)).size).toBe(1);
      expect(outcomes.every(({ balance }) => balance === 11n)).toBe(true);
      expect((await store().wallet(id)).balance).toBe(11n);
      const other = { ...again(), postings: transfer(GRANTS, walletOf(id), 12n) };
      expect(await rejection(store().post(other))).toMatchObject({ kind: "conflict" });
      expect((await store().wallet(id)).balance).toBe(11n);
    });

    test("what does not add up is never written", async () => {
      const id = unique("org_");
      const wallet = walletOf(id);
      for (const postings of [
        [{ accountId: wallet, amount: 1n }],
        [...transfer(GRANTS, wallet, 1n), { accountId: REVENUE, amount: 1n }],
        transfer(wallet, wallet, 1n),
        transfer(GRANTS, wallet, 0n),
      ]) {
        expect(await rejection((async () => store().post(entry(id, 1n, { postings })))())).toBeInstanceOf(TypeError);
      }
      const much = entry(id, BigInt(Number.MAX_SAFE_INTEGER) + 1n);
      expect(await rejection(store().post(much))).toMatchObject({ kind: "invalid_request" });
      expect((await store().list(id, ALL)).total).toBe(0);
    });

    test.each(["ledger_entries", "ledger_postings"])(
      "what stands in %s can be neither changed nor removed",
      async (table) => {
        await store().post(entry(unique("org_"), 1n));
        const { db } = bench.backend;
        const column = table === "ledger_entries" ? "reason = 'other'" : "amount = amount + 1";
        for (const statement of [`update ${table} set ${column}`, `delete from ${table}`]) {
          expect(await rejection(sql.raw(statement).execute(db))).toHaveProperty(
            "message",
            expect.stringContaining("append-only"),
          );
        }
      },
    );

    test("a negative balance blocks all teams, credit unblocks those that it blocked, and the log tells both", async () => {
      const { id } = await bench.storedOrganization();
      await bench.storedTeam({ organizationId: id });
      await bench.storedTeam({ organizationId: id, status: "blocked", blockedReason: "admin" });
      const other = await bench.storedTeam();
      await store().post(entry(id, 10n));
      expect(await store().post(usage(id, 10n))).toMatchObject({ balance: 0n, changedTeams: [] });
      const { changedTeams } = await store().post(usage(id, 1n));
      expect(changedTeams).toHaveLength(1);
      expect((await statusesOf(id)).sort()).toEqual([
        ["blocked", "admin"],
        ["blocked", "balance"],
      ]);
      expect(await store().wallet(id)).toMatchObject({ balance: -1n, blockedTeams: 1 });
      expect(await store().post(usage(id, 1n))).toMatchObject({ changedTeams: [] });
      expect(await store().post(entry(id, 1n))).toMatchObject({ balance: -1n, changedTeams: [] });
      expect(await store().post(entry(id, 1n))).toMatchObject({ balance: 0n, changedTeams });
      expect((await statusesOf(id)).sort()).toEqual([
        ["active", null],
        ["blocked", "admin"],
      ]);
      expect((await bench.stores.teams.find(other.id))?.status).toBe("active");
      const { rows } = await bench.stores.audit.list({ organizationId: id }, ALL);
      expect(rows.map(({ action, targetId }) => [action, targetId])).toEqual([
        ["team.unblock", changedTeams[0] ?? ""],
        ["team.block", changedTeams[0] ?? ""],
      ]);
    });

    test("an organization that is invoiced is never blocked for its balance", async () => {
      const { id } = await bench.storedOrganization({ billing: "invoiced" });
      await bench.storedTeam({ organizationId: id });
      expect(await store().post(usage(id, 5n))).toMatchObject({ balance: -5n, changedTeams: [] });
      expect(await statusesOf(id)).toEqual([["active", null]]);
    });

    test("many entries of one wallet at once are all counted", async () => {
      const id = unique("org_");
      await Promise.all(Array.from({ length: 30 }, (_, index) => store().post(entry(id, BigInt(index + 1)))));
      expect((await store().wallet(id)).balance).toBe(465n);
      const { rows } = await store().list(id, ALL);
      expect(rows.map(({ balance, amount }) => balance - amount)).toEqual([
        ...rows.slice(1).map(({ balance }) => balance),
        0n,
      ]);
    });
  });
}
