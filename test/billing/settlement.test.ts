import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { GatewayError } from "../../src/contract/errors.ts";
import { walletOf } from "../../src/ledger/entry.ts";
import { systemFiles } from "../../src/ledger/journal/files.ts";
import { FileJournal } from "../../src/ledger/journal/usage-journal.ts";
import { endedCall, type SettleStore } from "../../src/ledger/settle-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/log.ts";
import { systemTimers } from "../../src/lib/timers.ts";
import { type Books, composeBooks } from "../../src/start/compose-books.ts";
import { accountStores } from "../../src/storage/accounts/account-stores.ts";
import { ledgerAudit } from "../../src/storage/ledger/audit/audit.ts";
import { leaseStore } from "../../src/storage/ledger/lease-store.ts";
import { ledgerStore } from "../../src/storage/ledger/ledger-store.ts";
import { settleStore } from "../../src/storage/ledger/settle.ts";
import { usageStore } from "../../src/storage/usage/usage-store.ts";
import { newCall } from "../ledger/new-call.ts";
import { DATABASES } from "../storage/databases.ts";
import { StoreBench } from "../storage/store-bench.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`settlement on ${kind}`, () => {
    const bench = new StoreBench(kind);
    const folders: string[] = [];
    afterAll(() => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
    const newFolder = (): string => {
      const folder = mkdtempSync(join(tmpdir(), "turnpike-books-"));
      folders.push(folder);
      return folder;
    };

    function openBooks(
      dataDir = newFolder(),
      settlement = settleStore(bench.backend.db),
      clock = systemClock,
    ): {
      books: Books;
      dataDir: string;
      forgotten: string[];
      logged: string[];
    } {
      const { db } = bench.backend;
      const [forgotten, logged]: [string[], string[]] = [[], []];
      const books = composeBooks({
        storage: { leases: leaseStore(db), settlement, audit: ledgerAudit(bench.backend) },
        dataDir,
        clock,
        log: createLogger("info", (line) => logged.push(line)),
        sync: "interval",
        forgetTeam: (team) => forgotten.push(team),
      });
      return { books, dataDir, forgotten, logged };
    }

    async function customer(amount: bigint) {
      const organization = await bench.storedOrganization();
      const team = await bench.storedTeam({ organizationId: organization.id });
      const credit = {
        kind: "grant",
        against: "grants",
        at: Date.now(),
        actor: "system",
        reason: "x",
        details: {},
      } as const;
      await accountStores(bench.backend.db).credits.post({
        ...credit,
        organizationId: organization.id,
        amount,
        key: organization.id,
      });
      const pot = { id: walletOf(organization.id), organizationId: organization.id, limit: null };
      return { id: organization.id, team, pot };
    }
    const walletOfCustomer = (id: string) => ledgerStore(bench.backend.db).wallet(id);
    const findings = async () =>
      (await ledgerAudit(bench.backend).verify(Date.now())).filter(({ differences }) => differences.length > 0);
    const leases = () => bench.backend.db.selectFrom("leases").selectAll().execute();

    /** Of a process that is no more, once nobody writes to it. */
    const deadJournal = (dataDir: string) =>
      new FileJournal({
        files: systemFiles,
        folder: join(dataDir, "journal", "dead-1"),
        timers: systemTimers,
        defer: setImmediate,
        sync: "interval",
        onEnd: () => undefined,
        onFault: () => undefined,
      });

    /** One call from its admission to its end. */
    async function call(books: Books, { id, team, pot }: Awaited<ReturnType<typeof customer>>, cost: bigint) {
      const record = newCall({ organizationId: id, teamId: team.id, cost, providerCost: cost });
      const { signal } = new AbortController();
      const hold = await books.desk.hold({ callId: record.id, creditSources: [pot], amount: 10n, signal });
      await books.journal.open({ ...record, record, creditSources: [pot.id], inputCost: 1n });
      await books.journal.end(record, [pot.id]);
      hold.settle(cost);
      return record.id;
    }

    test("calls are in the log, the ledger and the balance once, and nothing stays behind", async () => {
      const { books, dataDir } = openBooks();
      await books.prepare();
      const someone = await customer(1_000n);
      const ids = await Promise.all([call(books, someone, 7n), call(books, someone, 11n), call(books, someone, 0n)]);
      expect(await books.flush()).toBe(true);
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: 982n, used: 18n });
      const { rows } = await ledgerStore(bench.backend.db).list(someone.id, { page: 1, pageSize: 9 });
      const logged = await bench.backend.db
        .selectFrom("usageLog")
        .select(["id", "cost", "entryId"])
        .where("id", "in", ids)
        .execute();
      expect(logged.map(({ cost }) => cost).sort()).toEqual([0n, 11n, 7n].sort());
      for (const { cost, entryId } of logged) {
        if (cost === 0n) expect(entryId).toBeNull();
        else expect(rows.map((row) => row.id)).toContain(entryId ?? "");
      }
      expect(await findings()).toEqual([]);
      expect(books.standing()).toMatchObject({
        settler: { waiting: 0, stuck: 0 },
        desk: { held: 0n, spent: 0n },
        faults: 0,
      });
      await books.stop();
      expect((await leases()).filter(({ pot }) => pot === someone.pot.id)).toEqual([]);
      expect(readdirSync(join(dataDir, "journal"))).toEqual([]);
      expect((await walletOfCustomer(someone.id)).held).toBe(0n);
    });

    test("a balance that a call turns negative blocks the teams, and the verifier is told at once", async () => {
      const { books, forgotten } = openBooks();
      await books.prepare();
      const someone = await customer(10n);
      await call(books, someone, 25n);
      await books.flush();
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: -15n, blockedTeams: 1 });
      expect(forgotten).toEqual([someone.team.id]);
      expect(await findings()).toEqual([]);
      await books.stop();
    });

    test("what a process that died left in its journal is settled at the next start, once", async () => {
      const dataDir = newFolder();
      const someone = await customer(1_000n);
      const journal = deadJournal(dataDir);
      const made = (cost: bigint) => newCall({ organizationId: someone.id, teamId: someone.team.id, cost });
      const [ended, running] = [made(30n), made(0n)];
      for (const record of [ended, running])
        await journal.open({ ...record, record, creditSources: [someone.pot.id], inputCost: 4n });
      await journal.end(ended, [someone.pot.id]);
      await leaseStore(bench.backend.db).extend("dead-1", [{ pot: someone.pot, wish: 500n, least: 1n }], {
        now: Date.now(),
        expiresAt: Date.now() + 60_000,
      });
      const { books } = openBooks(dataDir);
      expect(await books.prepare()).toMatchObject({ calls: 2, settled: 2, aborted: 1, setAside: [] });
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: 966n, held: 0n });
      expect(existsSync(join(dataDir, "journal", "dead-1"))).toBe(false);
      expect(await books.prepare()).toMatchObject({ calls: 0 });
      const row = await bench.backend.db
        .selectFrom("usageLog")
        .select(["status", "estimated", "cost"])
        .where("id", "=", running.id)
        .executeTakeFirst();
      expect(row).toEqual({ status: "aborted", estimated: true, cost: 4n });
      expect(await findings()).toEqual([]);
      await books.stop();
    });

    test("calls that it had settled are not charged again when their time in the log was over before its journal was read", async () => {
      const dataDir = newFolder();
      const someone = await customer(1_000n);
      const day = 24 * 60 * 60 * 1000;
      const made = (at: number) => newCall({ organizationId: someone.id, teamId: someone.team.id, cost: 30n, at });
      const [old, young] = [made(Date.now() - 2 * day), made(Date.now())];
      const dead = deadJournal(dataDir);
      for (const record of [old, young]) await dead.open({ record, creditSources: [someone.pot.id], inputCost: 4n });
      for (const record of [old, young]) await dead.end(record, [someone.pot.id]);
      await settleStore(bench.backend.db).settle("dead-1", [endedCall(old, [someone.pot.id])], Date.now());
      await usageStore(bench.backend.db).removeBefore(Date.now() - day, someone.id, 100);
      const { books, logged } = openBooks(dataDir);
      const setAside = [join(dataDir, "journal", "dead-1", "00000001.log.damaged")];
      expect(await books.prepare()).toMatchObject({ calls: 2, settled: 1, forgotten: 1, setAside });
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: 940n, used: 60n });
      expect(logged.join()).toContain("older than the log");
      expect(await findings()).toEqual([]);
      expect(await books.prepare()).toMatchObject({ calls: 0 });
      await books.stop();
    });

    test("a stop tries again while the database is busy, and tells of what it could not settle", async () => {
      const settlement = settleStore(bench.backend.db);
      const settle: SettleStore["settle"] = async (...given) => {
        if (refusals-- > 0) throw new GatewayError("database", "busy");
        return settlement.settle(...given);
      };
      const someone = await customer(100n);
      let refusals = 2;
      const busy = openBooks(newFolder(), { ...settlement, settle });
      await busy.books.prepare();
      await call(busy.books, someone, 5n);
      await busy.books.stop();
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: 95n, held: 0n });
      expect(readdirSync(join(busy.dataDir, "journal"))).toEqual([]);

      refusals = Number.POSITIVE_INFINITY;
      const away = openBooks(newFolder(), { ...settlement, settle });
      await away.books.prepare();
      await call(away.books, someone, 5n);
      await away.books.stop();
      expect(away.logged.join()).toContain("the next start over this folder settles them");
      const next = openBooks(away.dataDir).books;
      expect(await next.prepare()).toMatchObject({ calls: 1, settled: 1 });
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: 90n, held: 0n });
      await next.stop();
    });

    test("a stop does not ask a database again that has not answered at all", async () => {
      let [asked, silentMs] = [0, 0];
      const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + silentMs };
      const settle = async (): Promise<never> => {
        asked++;
        silentMs += 5_000;
        throw new GatewayError("database", "silent");
      };
      const silent = openBooks(newFolder(), { ...settleStore(bench.backend.db), settle }, clock);
      await silent.books.prepare();
      const someone = await customer(100n);
      await call(silent.books, someone, 5n);
      await silent.books.stop();
      expect(asked).toBe(1);
      expect(silent.logged.join()).toContain("the next start over this folder settles them");
      const next = openBooks(silent.dataDir).books;
      expect(await next.prepare()).toMatchObject({ calls: 1, settled: 1 });
      await next.stop();
    });

    test("a call of a process that is alive is left to it", async () => {
      const dataDir = newFolder();
      const [first, second] = [openBooks(dataDir).books, openBooks(dataDir).books];
      await first.prepare();
      const someone = await customer(100n);
      const id = await call(first, someone, 5n);
      expect(await second.prepare()).toMatchObject({ calls: 0 });
      await first.flush();
      expect(await bench.backend.db.selectFrom("usageLog").select("id").where("id", "=", id).execute()).toHaveLength(1);
      await first.stop();
      await second.stop();
    });

    test("so is one of a process that serves already and has not been prepared: the database was away when it began", async () => {
      const dataDir = newFolder();
      const [first, second] = [openBooks(dataDir).books, openBooks(dataDir).books];
      const someone = await customer(100n);
      const record = newCall({ organizationId: someone.id, teamId: someone.team.id, cost: 25n });
      await first.journal.open({ record, creditSources: [someone.pot.id], inputCost: 1n });
      // The database is back, and a sibling is the first to settle what lies about.
      expect(await second.prepare()).toMatchObject({ calls: 0 });
      await first.journal.end(record, [someone.pot.id]);
      expect(await first.prepare()).toMatchObject({ calls: 0 });
      await first.flush();
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: 75n });
      await first.stop();
      await second.stop();
      expect(readdirSync(join(dataDir, "journal"))).toEqual([]);
    });

    test("a budget that begins to be counted while a batch is being settled counts that batch", async () => {
      const { db } = bench.backend;
      const someone = await customer(1_000n);
      const record = newCall({ organizationId: someone.id, teamId: someone.team.id, cost: 30n, at: Date.now() });
      const end = Promise.withResolvers<void>();
      const settled = Promise.withResolvers<void>();
      // Another process looked for budgets before this one was set, and has not ended its transaction yet.
      const settling = db.transaction().execute(async (tx) => {
        await settleStore(tx).settle("other", [endedCall(record, [someone.pot.id])], Date.now());
        settled.resolve();
        await end.promise;
      });
      await settled.promise;
      const id = `budget:team:${someone.team.id}:0`;
      const pot = { id, organizationId: someone.id, limit: 100n, endMs: Number.POSITIVE_INFINITY };
      const times = { now: Date.now(), expiresAt: Date.now() + 60_000 };
      const extending = leaseStore(db).extend("here", [{ pot, wish: 100n, least: 1n }], times);
      await Promise.race([extending, Bun.sleep(500)]);
      end.resolve();
      await settling;
      expect(await extending).toMatchObject([{ pot: id, amount: 70n, free: 0n }]);
      expect(await findings()).toEqual([]);
      await leaseStore(db).drop("here");
    });

    test("what is only a sum is mended in the background and told, and the rest is counted", async () => {
      const { books, forgotten, logged } = openBooks();
      const someone = await customer(10n);
      const { db } = bench.backend;
      await db.updateTable("ledgerAccounts").set({ balance: -1n }).where("id", "=", someone.pot.id).execute();
      await db
        .updateTable("teams")
        .set({ status: "blocked", blockedReason: "balance" })
        .where("id", "=", someone.team.id)
        .execute();
      await books.reconcile();
      expect(await walletOfCustomer(someone.id)).toMatchObject({ balance: 10n, blockedTeams: 0 });
      expect(forgotten).toEqual([someone.team.id]);
      expect(logged.join()).toContain(`were mended (balances): ${someone.pot.id}: -1 became 10`);
      expect(books.standing().differences).toBe(0);
      await sql`insert into leases (pot, owner, amount, expires_at) values ('wallet:x', 'gone', 5, 1)`.execute(db);
      await books.reconcile();
      expect(books.standing().differences).toBe(1);
      await sql`delete from leases where owner = 'gone'`.execute(db);
    });

    test("verifying finds a balance, a block, a charge and a lease that are not as they should be", async () => {
      const someone = await customer(10n);
      const { db } = bench.backend;
      const broken = async (statement: string, undo: string): Promise<string[]> => {
        await sql.raw(statement).execute(db);
        const names = (await findings()).map(({ name }) => name);
        await sql.raw(undo).execute(db);
        return names;
      };
      const wallet = `update ledger_accounts set balance = balance`;
      expect(
        await broken(`${wallet} + 1 where id = '${someone.pot.id}'`, `${wallet} - 1 where id = '${someone.pot.id}'`),
      ).toEqual(["balances"]);
      const team = `where id = '${someone.team.id}'`;
      expect(
        await broken(
          `update teams set status = 'blocked', blocked_reason = 'balance' ${team}`,
          `update teams set status = 'active', blocked_reason = null ${team}`,
        ),
      ).toEqual(["blocked"]);
      expect(
        await broken(
          `insert into leases (pot, owner, amount, expires_at) values ('wallet:x', 'gone', 5, 1)`,
          "delete from leases where owner = 'gone'",
        ),
      ).toEqual(["leases"]);
      const { books } = openBooks();
      await books.prepare();
      const id = await call(books, someone, 3n);
      await books.flush();
      await books.stop();
      expect(
        await broken(
          `update usage_log set cost = cost + 1 where id = '${id}'`,
          `update usage_log set cost = cost - 1 where id = '${id}'`,
        ),
      ).toEqual(["charges", "sums"]);
      expect(
        await broken(
          `update usage_quarters set cost = cost + 1 where organization_id = '${someone.id}'`,
          `update usage_quarters set cost = cost - 1 where organization_id = '${someone.id}'`,
        ),
      ).toEqual(["usage", "sums", "days"]);
      expect(await findings()).toEqual([]);
    });
  });
}
