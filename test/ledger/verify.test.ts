import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { NO_LIMITS } from "../../src/accounts/no-limits.ts";
import { fromCents } from "../../src/billing/amount.ts";
import { applyHappening } from "../../src/billing/apply-happening.ts";
import type { Happening } from "../../src/billing/providers/payment-provider.ts";
import type { Purchase } from "../../src/billing/records.ts";
import { costOf } from "../../src/catalog/cost.ts";
import { flatPrice } from "../../src/catalog/price.ts";
import { priceSheet } from "../../src/catalog/price-sheet.ts";
import { NO_UNITS, type UsageRecord } from "../../src/contract/usage.ts";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { newId } from "../../src/lib/ids.ts";
import { accountStores } from "../../src/storage/accounts/account-stores.ts";
import { billingStores } from "../../src/storage/billing/billing-stores.ts";
import { ledgerAudit } from "../../src/storage/ledger/audit/audit.ts";
import { settleStore } from "../../src/storage/ledger/settle.ts";
import { usageStore } from "../../src/storage/usage/usage-store.ts";
import { QUARTER_MS, quarterOf } from "../../src/usage/rollup.ts";
import { DATABASES } from "../storage/databases.ts";
import { StoreBench } from "../storage/store-bench.ts";
import { newCall } from "./new-call.ts";

const SHEET = priceSheet({ input: flatPrice(3_000_000n), output: flatPrice(15_000_000n) }, "standard", 1_000n);
const DAY_MS = 86_400_000;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`verifying the books on ${kind}`, () => {
    const bench = new StoreBench(kind);
    const audit = () => ledgerAudit(bench.backend);
    const run = (statement: string) => sql.raw(statement).execute(bench.backend.db);
    const broken = async () => (await audit().verify(Date.now())).filter(({ differences }) => differences.length > 0);
    const names = async () => (await broken()).map(({ name }) => name);
    const unchecked = async () =>
      Object.fromEntries(
        (await audit().verify(Date.now())).flatMap(({ name, unchecked: text }) =>
          text === null ? [] : [[name, text]],
        ),
      );

    async function newCustomer() {
      const organization = await bench.storedOrganization({ billing: "invoiced", budget: 10n ** 9n });
      const team = await bench.storedTeam({ organizationId: organization.id });
      const owner = { organizationId: organization.id, teamId: team.id, keyId: newId(), userId: organization.ownerId };
      await usageStore(bench.backend.db).savePrices({ id: SHEET.version, prices: SHEET.text, firstSeenAt: 1 });
      const call = async (given: Partial<UsageRecord> = {}): Promise<UsageRecord> => {
        const units = { ...NO_UNITS, promptTokens: 1_000, completionTokens: 77 };
        const { cost, providerCost } = costOf(SHEET, units);
        const charge = { ...units, cost, providerCost, priceVersion: SHEET.version };
        const record = newCall({ ...owner, ...charge, at: Date.now(), ...given });
        await settleStore(bench.backend.db).settle("here", [endedCall(record, [])], Date.now());
        return record;
      };
      return { ...owner, call };
    }

    async function bought(organizationId: string): Promise<Purchase> {
      const purchase: Purchase = {
        id: newId(),
        organizationId,
        userId: null,
        kind: "checkout",
        amount: fromCents(1_000),
        totalCents: 1_000,
        currency: "usd",
        status: "pending",
        provider: "test",
        mode: "test",
        providerRef: null,
        paymentRef: null,
        checkoutUrl: null,
        refunded: 0n,
        disputed: 0n,
        failure: null,
        createdAt: 1,
        updatedAt: 1,
        expiresAt: 2,
        paidAt: null,
      };
      const stores = billingStores(bench.backend.db);
      await stores.purchases.insert(purchase);
      const money = { amountCents: 1_000, currency: "usd", mode: "test", paymentRef: `pi_${purchase.id}` } as const;
      const told: Happening[] = [
        { kind: "paid", purchaseId: purchase.id, ...money },
        { kind: "refunded", purchaseId: purchase.id, ...money, refundedCents: 250, atMs: null },
        {
          kind: "disputed",
          disputeId: `dp_${purchase.id}`,
          ...money,
          amountCents: 300,
          isInquiry: false,
          outcome: null,
        },
        {
          kind: "disputed",
          disputeId: `dw_${purchase.id}`,
          ...money,
          amountCents: 100,
          isInquiry: false,
          outcome: "won",
        },
      ];
      for (const happening of told) await stores.transaction((tx) => applyHappening(tx, "test", happening, 5));
      return purchase;
    }

    /** What a corruption makes of the books; it is taken back afterwards. */
    async function corrupted(statement: string, undo: string): Promise<readonly string[]> {
      await run(statement);
      const found = await names();
      await run(undo);
      expect(await names()).toEqual([]);
      return found;
    }
    const plusOne = (table: string, column: string, where: string) =>
      corrupted(
        `update ${table} set ${column} = ${column} + 1 where ${where}`,
        `update ${table} set ${column} = ${column} - 1 where ${where}`,
      );

    test("books that were kept are in order, with purchases, refunds, disputes and budgets in them", async () => {
      const { organizationId, call } = await newCustomer();
      await Promise.all(Array.from({ length: 5 }, () => call()));
      await bought(organizationId);
      expect(await broken()).toEqual([]);
      expect(await unchecked()).toEqual({});
    });

    test("every number that was changed behind their back is named", async () => {
      const { organizationId, call } = await newCustomer();
      const { id, cost } = await call();
      const purchase = await bought(organizationId);
      const ofCall = `id = '${id}'`;
      const wallet = `id = 'wallet:${organizationId}'`;
      expect(await plusOne("ledger_accounts", "balance", wallet)).toEqual(["balances"]);
      expect(await plusOne("usage_log", "cost", ofCall)).toEqual(["charges", "sums", "prices"]);
      expect(await plusOne("usage_log", "prompt_tokens", ofCall)).toEqual(["sums", "prices"]);
      const quarters = `organization_id = '${organizationId}'`;
      expect(await plusOne("usage_quarters", "cost", quarters)).toEqual(["usage", "sums", "days", "budgets"]);
      expect(await plusOne("usage_quarters", "requests", quarters)).toEqual(["sums", "days"]);
      expect(await plusOne("usage_days", "cost", quarters)).toEqual(["days", "totals"]);
      expect(await plusOne("usage_days", "prompt_tokens", quarters)).toEqual(["days"]);
      expect(await plusOne("usage_totals", "cost", quarters)).toEqual(["totals"]);
      expect(await plusOne("usage_totals", "requests", quarters)).toEqual(["totals"]);
      expect(await plusOne("budget_spend", "spent", `subject = 'organization:${organizationId}'`)).toEqual(["budgets"]);
      expect(await plusOne("purchases", "amount", `id = '${purchase.id}'`)).toEqual(["purchases"]);
      expect(await plusOne("purchases", "refunded", `id = '${purchase.id}'`)).toEqual(["refunds"]);
      const status = (to: string) => `update purchases set status = '${to}' where id = '${purchase.id}'`;
      expect(await corrupted(status("pending"), status("paid"))).toEqual(["purchases"]);
      const entry = `update usage_log set entry_id = null where ${ofCall}`;
      await run(entry);
      expect(await names()).toEqual(["calls"]);
      const stored = await sql<{ id: string }>`
        select id from ledger_entries where kind = 'usage' and organization_id = ${organizationId}`.execute(
        bench.backend.db,
      );
      await run(`update usage_log set entry_id = '${stored.rows[0]?.id}' where ${ofCall}`);
      expect(await names()).toEqual([]);
      expect(
        await corrupted(
          `update price_versions set prices = replace(prices, '3000000', '4000000')`,
          `update price_versions set prices = replace(prices, '4000000', '3000000')`,
        ),
      ).toEqual(["prices"]);
      expect(
        await corrupted(
          `insert into leases (pot, owner, amount, expires_at) values ('wallet:x', 'gone', 5, 1)`,
          "delete from leases where owner = 'gone'",
        ),
      ).toEqual(["leases"]);
      // One that is used up is not prolonged, and waits to be swept.
      expect(
        await corrupted(
          `insert into leases (pot, owner, amount, expires_at) values ('wallet:x', 'gone', 0, 1)`,
          "delete from leases where owner = 'gone'",
        ),
      ).toEqual([]);
      expect((await audit().verify(Date.now())).find(({ name }) => name === "prices")?.unchecked).toBeNull();
      expect(cost).toBe(4_571n);
    });

    test("the tokens of given pictures are counted by the part of the cost that they are, also where they cost nothing", async () => {
      const { call } = await newCustomer();
      for (const image of [10_000_000n, 0n]) {
        const prices = { input: flatPrice(5_000_000n), image_input: flatPrice(image), output: flatPrice(40_000_000n) };
        const sheet = priceSheet(prices, "standard", 1_000n);
        await usageStore(bench.backend.db).savePrices({ id: sheet.version, prices: sheet.text, firstSeenAt: 1 });
        for (const told of [{ promptTokens: 350, completionTokens: 9 }, { promptTokens: 300 }]) {
          const { cost, providerCost, parts } = costOf(sheet, { ...NO_UNITS, ...told, imageInputTokens: 300 });
          const charge = { completionTokens: 0, ...told, cost, providerCost, costParts: parts };
          const { id } = await call({ ...charge, priceVersion: sheet.version, operation: "image_edit" });
          expect(await names()).toEqual([]);
          const change = (from: string, to: string) =>
            `UPDATE usage_log SET cost_parts = replace(cost_parts, '${from}', '${to}') WHERE id = '${id}'`;
          expect(await corrupted(change('"300000"', '"200000"'), change('"200000"', '"300000"'))).toEqual(["prices"]);
        }
      }
    });

    test("a call that was taken out of the log is missed, unless its time was over", async () => {
      const { organizationId, call } = await newCustomer();
      const [old, young] = [await call({ at: Date.now() - 40 * DAY_MS }), await call()];
      const usage = usageStore(bench.backend.db);
      expect(await usage.removeBefore(Date.now() - 30 * DAY_MS, organizationId, 500)).toBe(1);
      expect(await usage.find(old.id)).toBeNull();
      expect(await broken()).toEqual([]);
      expect(await unchecked()).toEqual({
        charges: "1 entries whose calls are no longer all in the log",
        sums: "1 quarters of an hour from before the log begins",
      });
      // A budget is made of the sums, which stay.
      expect(await plusOne("budget_spend", "spent", `subject = 'organization:${organizationId}'`)).toEqual(["budgets"]);
      const { rows } = await sql`select * from usage_log where id = ${young.id}`.execute(bench.backend.db);
      expect(rows).toHaveLength(1);
      await run(`delete from usage_log where id = '${young.id}'`);
      expect(await names()).toEqual(["sums"]);
      await usage.removeBefore(Date.now() + DAY_MS, organizationId, 500);
      expect(await names()).toEqual([]);
    });

    test("what was spent for an end user is held against the log, as far as that goes back", async () => {
      const { organizationId, call } = await newCustomer();
      const endUser = "Zoë / 7:1";
      const old = await call({ endUser, at: Date.now() - 40 * DAY_MS });
      const { endUsers } = accountStores(bench.backend.db);
      const none = { alias: null, blocked: false, budgetId: null, createdAt: 1, updatedAt: 1 };
      await endUsers.insert({
        ...NO_LIMITS,
        ...none,
        organizationId,
        id: endUser,
        budget: 10n ** 9n,
        budgetWindow: "hour",
      });
      const young = await call({ endUser });
      await call({ endUser: "another" });
      const spent = async () => (await endUsers.findSpend(organizationId, endUser))?.spent;
      expect(await spent()).toBe(old.cost + young.cost);
      expect(await names()).toEqual([]);
      const [ever, hour] = ["= 0", "> 0"].map(
        (begun) => `subject like 'end_user:${organizationId}/%' and starts_at ${begun}`,
      );
      for (const window of [ever, hour]) {
        expect(await plusOne("budget_spend", "spent", window ?? "")).toEqual(["budgets"]);
      }

      await run(`update budget_spend set spent = 1 where ${ever}`);
      expect((await audit().mend(Date.now())).map(({ name }) => name)).toEqual(["budgets"]);
      expect(await spent()).toBe(old.cost + young.cost);

      // The log forgets, what was spent does not; less than the log still has is wrong in any case.
      await usageStore(bench.backend.db).removeBefore(Date.now() - 30 * DAY_MS, organizationId, 500);
      expect([await names(), await spent()]).toEqual([[], old.cost + young.cost]);
      expect(await plusOne("budget_spend", "spent", hour ?? "")).toEqual(["budgets"]);
      const all = `update budget_spend set spent = ${old.cost + young.cost} where ${ever}`;
      expect(await corrupted(`update budget_spend set spent = 1 where ${ever}`, all)).toEqual(["budgets"]);
    });

    test("calls whose price list nobody kept, or that ended with their process, are told to be unchecked", async () => {
      const { call } = await newCustomer();
      await call({ priceVersion: "0123456789abcdef" });
      await call({ status: "aborted", cost: 5n });
      expect(await names()).toEqual([]);
      expect((await unchecked()).prices).toStartWith("2 calls that ended with their process");
    });

    test("what is only a sum is mended, and what was written down is not", async () => {
      const { organizationId, teamId, call } = await newCustomer();
      const at = quarterOf(Date.now()) - 8 * QUARTER_MS;
      const { id } = await call({ at, firstByteMs: 7, cacheHit: true });
      await call({ at: at + 5 });
      const quarters = () =>
        bench.backend.db.selectFrom("usageQuarters").selectAll().where("organizationId", "=", organizationId).execute();
      const whole = await quarters();
      await run(`update ledger_accounts set balance = balance + 7 where id = 'wallet:${organizationId}'`);
      await run(`update budget_spend set spent = 0 where subject = 'organization:${organizationId}'`);
      await run(
        `update usage_quarters set cost = 1, requests = 9, cache_hits = 4 where organization_id = '${organizationId}'`,
      );
      await run(`update teams set status = 'blocked', blocked_reason = 'balance' where id = '${teamId}'`);
      expect(await names()).toEqual(["balances", "usage", "sums", "days", "budgets", "blocked"]);
      const done = await audit().mend(Date.now());
      // A balance that is right again settles the blocks too.
      expect(done.map(({ name }) => name).sort()).toEqual(["balances", "budgets", "days", "sums"]);
      expect(done.flatMap(({ changedTeams }) => changedTeams)).toEqual([teamId]);
      expect(await names()).toEqual([]);
      expect(await quarters()).toEqual(whole);
      expect(await audit().mend(Date.now())).toEqual([]);
      await run(`update teams set status = 'blocked', blocked_reason = 'balance' where id = '${teamId}'`);
      expect(await audit().mend(Date.now())).toEqual([{ name: "blocked", what: teamId, changedTeams: [teamId] }]);
      await run(`update usage_log set cost = cost + 1 where id = '${id}'`);
      await audit().mend(Date.now());
      expect(await names()).toContain("prices");
      await run(`update usage_log set cost = cost - 1 where id = '${id}'`);
      await audit().mend(Date.now());
      expect(await names()).toEqual([]);
    });

    test("sums by day, and of what was spent ever, are made anew of the quarters, though not where only they are left", async () => {
      const { organizationId, call } = await newCustomer();
      const at = quarterOf(Date.now()) - 3 * DAY_MS;
      await call({ at, firstByteMs: 7 });
      await call({ at: at + 2 * QUARTER_MS });
      await call({ at: at - 9 * DAY_MS, userId: null });
      const { db } = bench.backend;
      const larger = async () => [
        await db
          .selectFrom("usageDays")
          .selectAll()
          .where("organizationId", "=", organizationId)
          .orderBy("at")
          .execute(),
        await db
          .selectFrom("usageTotals")
          .selectAll()
          .where("organizationId", "=", organizationId)
          .orderBy("userId")
          .execute(),
      ];
      const whole = await larger();
      const ofThem = `where organization_id = '${organizationId}'`;
      await run(`update usage_days set cost = cost + 3, latency_ms = 1 ${ofThem}`);
      await run(`delete from usage_totals ${ofThem}`);
      expect(await names()).toEqual(["days", "totals"]);
      const mended = await audit().mend(Date.now());
      expect(new Set(mended.map(({ name }) => name))).toEqual(new Set(["days", "totals"]));
      expect(await larger()).toEqual(whole);
      expect(await names()).toEqual([]);
      await usageStore(db).removeBefore(at - DAY_MS, organizationId, 500);
      await run(`update usage_days set cost = cost + 3 ${ofThem} and at < ${at - DAY_MS}`);
      expect(await audit().mend(Date.now())).toEqual([]);
      expect(await names()).toEqual(["days", "totals"]);
      await run(`update usage_days set cost = cost - 3 ${ofThem} and at < ${at - DAY_MS}`);
      expect(await names()).toEqual([]);
    });

    test("the look at them sees one moment, and nobody who writes waits for it", async () => {
      const { organizationId, call } = await newCustomer();
      const count = sql<{
        calls: bigint;
      }>`select count(*) as calls from usage_log where organization_id = ${organizationId}`;
      await bench.backend.snapshot(async (db) => {
        expect((await count.execute(db)).rows[0]?.calls).toBe(0n);
        await call();
        expect((await count.execute(db)).rows[0]?.calls).toBe(0n);
      });
      expect((await count.execute(bench.backend.db)).rows[0]?.calls).toBe(1n);
    });

    test("hour by hour a wrong cost is found at once in a new call, in an old one when its turn comes, and told until it is right", async () => {
      const { call } = await newCustomer();
      const old: UsageRecord[] = [];
      for (let days = 9; days > 0; days--) old.push(await call({ at: Date.now() - days * DAY_MS }));
      const fresh = await call();
      const hourly = ledgerAudit(bench.backend, 4);
      const prices = async () => {
        const found = (await hourly.look(Date.now())).find(({ name }) => name === "prices");
        return { wrong: (found?.differences ?? []).map((text) => text.split(":")[0]), left: found?.unchecked ?? "" };
      };
      const { calls } = await bench.backend.db
        .selectFrom("usageLog")
        .select(({ fn }) => fn.countAll<bigint>().as("calls"))
        .executeTakeFirstOrThrow();
      const looks = Math.ceil(Number(calls) / 4) + 1;
      const change = (id: string, by: string) => run(`update usage_log set cost = cost ${by} where id = '${id}'`);
      await change(fresh.id, "+ 1");
      const first = await prices();
      expect(first.wrong).toEqual([fresh.id]);
      expect(first.left).toContain(`${Number(calls) - 4} calls whose turn comes within a day`);
      await change(fresh.id, "- 1");
      expect((await prices()).wrong).toEqual([]);

      const changed = old[3]?.id ?? "";
      await change(changed, "+ 1");
      let needed = 1;
      while ((await prices()).wrong.length === 0 && needed <= looks) needed++;
      expect(needed).toBeLessThanOrEqual(looks);
      for (let look = 0; look < looks; look++) expect((await prices()).wrong).toEqual([changed]);
      await change(changed, "- 1");
      expect((await prices()).wrong).toEqual([]);
      expect(await names()).toEqual([]);
    });

    test("an entry that does not add up is named", async () => {
      await run(`insert into ledger_entries (id, key, kind, at, actor, reason, details)
        values ('odd', 'odd', 'adjustment', 1, 'system', 'x', '{}')`);
      expect(await names()).toEqual(["entries"]);
      await run("insert into ledger_postings (entry_id, account_id, amount) values ('odd', 'revenue', 1)");
      expect(await names()).toEqual(["entries", "total", "balances"]);
      await audit().mend(Date.now());
      expect(await names()).toEqual(["entries", "total"]);
    });
  });
}
