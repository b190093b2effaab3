import { describe, expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import type { AuditChainStore, ChainWriter } from "../../src/accounts/audit-chain.ts";
import { AuditSealer } from "../../src/accounts/audit-sealer.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { type ChainReport, verifyAuditChain } from "../../src/accounts/verify-audit-chain.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { openBackend, openStorage } from "../../src/storage/open.ts";
import type { Tables } from "../../src/storage/tables.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { AT, newAuditEntry } from "../storage/new-records.ts";
import { PATIENT_MS } from "../storage/patience.ts";
import { rejection } from "../storage/rejection.ts";
import { newPerson } from "./people.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** An app, and somebody who can write to its database and has nothing else. */
interface Bench extends AsyncDisposable {
  readonly app: TestApp;
  readonly intruder: Kysely<Tables>;
  write(rows: number): Promise<void>;
  verify(head?: string): Promise<ChainReport>;
  settings: Parameters<typeof openStorage>[0];
}

async function startBench(kind: Backend["kind"], yaml = "", clock?: SteppedClock): Promise<Bench> {
  const databaseUrl = await migratedUrl(kind);
  const app = await startApp(yaml, databaseUrl, clock, { sqliteThreads: true });
  const settings = { databaseUrl, dataDir: app.dataDir, timeoutMs: PATIENT_MS };
  const backend = openBackend(settings);
  return {
    app,
    intruder: backend.db,
    settings,
    write: (rows) =>
      app.storage.accounts.transaction(async (tx) => {
        const at = clock?.nowMs() ?? AT;
        for (let row = 0; row < rows; row++) await tx.audit.insert(newAuditEntry({ at, details: { row } }));
      }),
    async verify(head) {
      const query = head === undefined ? "" : `?head=${encodeURIComponent(head)}`;
      const answer = await app.call(`/api/admin/audit-logs/verify${query}`, { key: MASTER_KEY });
      expect(answer.status).toBe(200);
      return (await answer.json()) as ChainReport;
    },
    async [Symbol.asyncDispose]() {
      await backend.close();
      await app.close();
    },
  };
}

const WHOLE = { ok: true, firstDifference: null, differences: 0, missingRows: 0, missing: [], unsealed: 0 };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the chain of the audit log on ${kind}`, () => {
    test("covers what was written before it, in more than one step, and says what waits", async () => {
      await using bench = await startBench(kind);
      await bench.write(1_203);
      const before = await bench.verify();
      expect(before).toMatchObject({ ok: true, verifiedUpTo: 0, sealed: 0, head: { seq: 0, hash: "" } });
      expect(before.unsealed).toBeGreaterThan(1_203);
      await bench.app.service.audit.seal();
      const after = await bench.verify();
      expect(after).toMatchObject({ ...WHOLE, verifiedUpTo: before.unsealed, sealed: before.unsealed });
      await bench.write(1);
      expect(await bench.verify()).toMatchObject({ ...WHOLE, unsealed: 1, head: after.head });
    });

    test("is shown row by row: operators see number and hash, an organization only its own hashes", async () => {
      await using bench = await startBench(kind);
      const [owner, member, stranger] = [
        await newPerson(bench.app),
        await newPerson(bench.app),
        await newPerson(bench.app),
      ];
      const membership = { organizationId: owner.ownId, userId: member.id, role: "member", joinedAt: 1 } as const;
      await bench.app.storage.accounts.organizationMembers.insert(membership);
      const path = `/api/gw/organizations/${owner.ownId}/audit-logs`;
      const first = async () => {
        const answer = await bench.app.call("/api/admin/audit-logs?pageSize=1", { key: MASTER_KEY });
        return ((await answer.json()) as { data: { seq: number; hash: string }[] }).data[0];
      };
      expect(await first()).toMatchObject({ seq: null, hash: null });
      await bench.app.service.audit.seal();
      const { head } = await bench.verify();
      expect(await first()).toMatchObject({ seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(head.seq).toBeGreaterThan(3);
      const { body } = await owner.send("GET", path);
      const [shown] = (body as { data: object[] }).data;
      expect(shown).toHaveProperty("hash", expect.stringMatching(/^[0-9a-f]{64}$/));
      expect(shown).not.toHaveProperty("seq");

      const exported = await bench.app.call(`${path}/export?format=jsonl`, {
        headers: { authorization: `Bearer ${owner.token}` },
      });
      const lines = (await exported.text()).trim().split("\n");
      expect(exported.headers.get("content-type")).toStartWith("application/jsonl");
      expect(lines.length).toBe((body as { data: object[] }).data.length);
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ organizationId: owner.ownId });
      const csv = await bench.app.call(`${path}/export?action=none`, {
        headers: { authorization: `Bearer ${owner.token}` },
      });
      expect(await csv.text()).toBe(
        "id,at,actor,userId,action,organizationId,targetType,targetId,details,address,hash\r\n",
      );
      expect((await member.send("GET", `${path}/export`)).status).toBe(403);
      expect((await stranger.send("GET", `${path}/export`)).status).toBe(404);
    });

    test("shows a change of any column of any row", async () => {
      await using bench = await startBench(kind);
      await bench.write(5);
      await bench.app.service.audit.seal();
      const { intruder } = bench;
      const row = await intruder.selectFrom("auditLog").selectAll().where("seq", "=", 4n).executeTakeFirstOrThrow();
      const changes: Partial<Tables["auditLog"]>[] = [
        { id: "another" },
        { at: row.at + 1 },
        { actor: "master_key" },
        { userId: 1 },
        { action: "team.delete" },
        { organizationId: "" },
        { targetType: "key" },
        { targetId: `${row.targetId} ` },
        { details: `${row.details} ` },
        { address: "127.0.0.1" },
      ];
      const columns = Object.keys(row).filter((name) => name !== "seq" && name !== "hash");
      expect(new Set(changes.flatMap((change) => Object.keys(change)))).toEqual(new Set(columns));
      for (const change of changes) {
        const id = change.id ?? row.id;
        await intruder.updateTable("auditLog").set(change).where("id", "=", row.id).execute();
        expect(await bench.verify()).toMatchObject({
          ok: false,
          verifiedUpTo: 3,
          differences: 1,
          firstDifference: { seq: 4, id, what: "it was changed" },
        });
        await intruder.updateTable("auditLog").set(row).where("id", "=", id).execute();
      }
      expect(await bench.verify()).toMatchObject(WHOLE);
    });

    test("shows rows that were removed, exchanged, or taken out to be sealed again", async () => {
      await using bench = await startBench(kind);
      const { intruder, app } = bench;
      await bench.write(20);
      await app.service.audit.seal();
      const { head } = await bench.verify();
      await sql`update audit_log set seq = 12 - seq where seq in (5, 7)`.execute(intruder);
      expect(await bench.verify()).toMatchObject({ ok: false, verifiedUpTo: 4, firstDifference: { seq: 5 } });
      await sql`update audit_log set seq = 12 - seq where seq in (5, 7)`.execute(intruder);
      expect(await bench.verify()).toMatchObject(WHOLE);

      await sql`update audit_log set seq = null, hash = null, action = 'nothing' where seq = 9`.execute(intruder);
      await app.service.audit.seal();
      const gap = { seq: 9, id: null, what: "it is missing" };
      expect(await bench.verify()).toMatchObject({
        ok: false,
        verifiedUpTo: 8,
        firstDifference: gap,
        missing: [{ from: 9, to: 9 }],
        head: { seq: head.seq + 1 },
      });
      await sql`delete from audit_log where seq in (3, 4, ${head.seq}, ${head.seq + 1})`.execute(intruder);
      expect(await bench.verify()).toMatchObject({
        ok: false,
        verifiedUpTo: 2,
        missingRows: 5,
        missing: [
          { from: 3, to: 4 },
          { from: 9, to: 9 },
          { from: head.seq, to: head.seq + 1 },
        ],
      });
    });

    test("is not sealed on from an end that somebody has put back, which a noted end shows in any case", async () => {
      await using bench = await startBench(kind);
      const { intruder, app } = bench;
      await bench.write(3);
      await app.service.audit.seal();
      const before = await intruder
        .selectFrom("auditChain")
        .selectAll()
        .where("name", "=", "head")
        .executeTakeFirstOrThrow();
      await bench.write(3);
      await app.service.audit.seal();
      const { head } = await bench.verify();
      const noted = `${head.seq}:${head.hash}`;
      expect(await bench.verify(noted)).toMatchObject({ ...WHOLE, noted: "found" });

      await sql`delete from audit_log where seq > ${before.seq}`.execute(intruder);
      await intruder
        .updateTable("auditChain")
        .set({ seq: before.seq, hash: before.hash })
        .where("name", "=", "head")
        .execute();
      expect(await bench.verify()).toMatchObject({ ok: false, firstDifference: { seq: Number(before.seq) } });
      // With all of the former record the chain is whole in itself. Who noted its end elsewhere is not deceived.
      await intruder.updateTable("auditChain").set(before).where("name", "=", "head").execute();
      expect(await bench.verify()).toMatchObject(WHOLE);
      expect(await bench.verify(noted)).toMatchObject({ ok: false, noted: "differs", missingRows: 3 });
      // Nor is a process that has seen more.
      await bench.write(4);
      await app.service.audit.seal();
      await app.service.audit.seal();
      expect(await bench.verify()).toMatchObject({ unsealed: 4 });
      expect(app.logged.filter((line) => line.includes("cannot be sealed"))).toHaveLength(1);

      const bad = await app.call("/api/admin/audit-logs/verify?head=17", { key: MASTER_KEY });
      expect(bad.status).toBe(400);
    });

    test("does not begin anew where its end was erased", async () => {
      await using bench = await startBench(kind);
      const { intruder, app } = bench;
      await app.service.audit.seal();
      await intruder.updateTable("auditChain").set({ seq: 0n, hash: "", mark: "" }).execute();
      await bench.write(1);
      const fresh = new AuditSealer(app.storage.auditChain, deriveSecrets("any").auditKey);
      expect(await rejection(fresh.seal())).toHaveProperty("message", expect.stringContaining("put back"));
      expect(await bench.verify()).toMatchObject({ ok: false, unsealed: 1 });
    });

    test("has every row once, however many processes write and seal", async () => {
      await using bench = await startBench(kind);
      const { auditKey } = deriveSecrets("a-secret-for-tests-0123456789abcdef");
      const others = [openStorage(bench.settings), openStorage(bench.settings)];
      try {
        const sealers = [bench.app.storage, ...others].map(({ auditChain }) => new AuditSealer(auditChain, auditKey));
        const work = others.map(async ({ accounts }, at) => {
          for (let row = 0; row < 40; row++) {
            await accounts.transaction((tx) => tx.audit.insert(newAuditEntry({ targetId: `${at} ${row}` })));
            if (row % 4 === 0) await Promise.all(sealers.map((sealer) => sealer.seal()));
          }
        });
        await Promise.all(work);
        await sealers[0]?.seal();
        const report = await bench.verify();
        expect(report).toMatchObject({ ...WHOLE, verifiedUpTo: report.sealed });
        expect(report.sealed).toBeGreaterThan(80);
        const elsewhere = others[1] ?? bench.app.storage;
        expect(await verifyAuditChain(elsewhere.auditChain, auditKey)).toEqual(report);
        expect(await verifyAuditChain(elsewhere.auditChain, deriveSecrets("another").auditKey)).toMatchObject({
          ok: false,
        });
      } finally {
        await Promise.all(others.map((other) => other.close()));
      }
    });

    test("is sealed on after what was sealed could not be committed", async () => {
      await using bench = await startBench(kind);
      const { auditChain } = bench.app.storage;
      await bench.app.service.audit.seal();
      let isBroken = true;
      const broken: AuditChainStore = Object.assign(Object.create(auditChain) as AuditChainStore, {
        hasUnsealed: () => auditChain.hasUnsealed(),
        alone: <T>(work: (chain: ChainWriter) => Promise<T>) =>
          auditChain.alone(async (chain) => {
            const done = await work(chain);
            if (isBroken) throw new Error("the connection is gone");
            return done;
          }),
      });
      const sealer = new AuditSealer(broken, deriveSecrets("a-secret-for-tests-0123456789abcdef").auditKey);
      await bench.write(3);
      expect(await rejection(sealer.seal())).toHaveProperty("message", "the connection is gone");
      isBroken = false;
      expect(await sealer.seal()).toBe(3);
      expect(await bench.verify()).toMatchObject(WHOLE);
    });

    // SQLite has one writer at a time, whatever is written.
    test.skipIf(kind === "sqlite")("a change commits while the chain is held by somebody", async () => {
      await using bench = await startBench(kind);
      await bench.app.storage.auditChain.alone(async () => {
        await bench.write(2);
      });
      await bench.app.service.audit.seal();
      expect(await bench.verify()).toMatchObject(WHOLE);
    });

    test("stays whole when old rows are removed, and no row goes that was changed or cannot be told from one that was", async () => {
      const clock = new SteppedClock();
      await using bench = await startBench(kind, "general_settings: { audit_retention_days: 30 }\n", clock);
      const { app, intruder } = bench;
      await bench.write(700);
      await app.service.audit.seal();
      const first = await bench.verify();
      clock.step(20 * DAY_MS);
      await bench.write(3);
      await app.service.tidy();
      expect(await bench.verify()).toMatchObject({ removedUpTo: 0, unsealed: 3 });
      clock.step(11 * DAY_MS);
      await app.service.tidy();
      const rest = await bench.verify();
      expect(rest).toMatchObject({ ok: true, removedUpTo: first.sealed, sealed: 0, unsealed: 3, head: first.head });
      await app.service.audit.seal();
      const sealed = await bench.verify(`${first.head.seq}:${first.head.hash}`);
      expect(sealed).toMatchObject({ ...WHOLE, noted: "removed", sealed: 3, verifiedUpTo: first.sealed + 3 });

      // Who removes rows by hand cannot make it look like retention.
      const start = await intruder
        .selectFrom("auditChain")
        .selectAll()
        .where("name", "=", "start")
        .executeTakeFirstOrThrow();
      const next = await intruder
        .selectFrom("auditLog")
        .selectAll()
        .where("seq", "=", start.seq + 1n)
        .executeTakeFirstOrThrow();
      await intruder.deleteFrom("auditLog").where("id", "=", next.id).execute();
      const forged = { seq: start.seq + 1n, hash: next.hash ?? "" };
      await intruder.updateTable("auditChain").set(forged).where("name", "=", "start").execute();
      expect(await bench.verify()).toMatchObject({ ok: false });
      await intruder.updateTable("auditChain").set(start).where("name", "=", "start").execute();
      await intruder
        .insertInto("auditLog")
        .values({ ...next, action: "changed" })
        .execute();
      clock.step(40 * DAY_MS);
      await app.service.tidy();
      expect(await bench.verify()).toMatchObject({
        ok: false,
        sealed: 3,
        removedUpTo: first.sealed,
        firstDifference: { seq: first.sealed + 1, id: next.id },
      });
    });

    test("is looked at by the server itself, which logs its end or what differs", async () => {
      await using bench = await startBench(kind);
      const { app } = bench;
      await app.service.audit.seal();
      await app.service.audit.reconcile();
      const { head } = await bench.verify();
      expect(app.logged.find((line) => line.includes("is whole up to here"))).toContain(head.hash);
      const gauge = async () =>
        (await (await app.call("/metrics", { key: MASTER_KEY })).text()).match(
          /^turnpike_audit_differences (\d+)/m,
        )?.[1];
      expect(await gauge()).toBe("0");
      await sql`update audit_log set action = 'nothing' where seq = 1`.execute(bench.intruder);
      await app.service.audit.reconcile();
      expect(await gauge()).toBe("1");
      expect(app.logged.find((line) => line.includes("the audit log was changed"))).toContain('"level":"error"');
    });
  });
}
