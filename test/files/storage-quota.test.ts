import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { toFile } from "openai";
import type { Backend } from "../../src/storage/backend.ts";
import { storageUsage } from "../../src/storage/migrations/0041-storage-usage.ts";
import { columnsFor } from "../../src/storage/migrations/columns.ts";
import { openBackend } from "../../src/storage/open.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { type Customer, newCustomer } from "../assistants/clients.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";

const MIB = 1024 * 1024;
const KIB = 1024;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`the storage quota of an organization on ${kind}`, () => {
    let app: TestApp;
    let databaseUrl: string | null;
    beforeAll(async () => {
      databaseUrl = await migratedUrl(kind);
      app = await startApp("general_settings:\n  storage_quota_mb: 1\n", databaseUrl);
    });
    afterAll(() => app?.close());

    const storageOf = async ({ person }: Customer) =>
      (await person.send("GET", `/api/gw/organizations/${person.ownId}/storage`)).body as {
        usedBytes: number;
        quotaBytes: number;
        isDefault: boolean;
      };
    const upload = async ({ client }: Customer, bytes: number) =>
      client.files.create({ file: await toFile(Buffer.alloc(bytes, "x"), "a.txt"), purpose: "user_data" });
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => null,
        ({ status, error }) => ({ status, code: error?.code, message: error?.message }),
      );
    const full = { status: 413, code: "storage_quota_exceeded", message: expect.stringContaining("of 1.0 MiB") };

    test("limits uploads, and a deletion frees it", async () => {
      const customer = await newCustomer(app);
      const before = await storageOf(customer);
      expect(before).toEqual({ usedBytes: 0, quotaBytes: MIB, isDefault: true });
      const file = await upload(customer, 700 * KIB);
      expect(await failure(upload(customer, 700 * KIB))).toMatchObject(full);
      const { usedBytes } = await storageOf(customer);
      expect(usedBytes).toBeGreaterThan(700 * KIB);
      expect(usedBytes).toBeLessThan(701 * KIB);
      await customer.client.files.delete(file.id);
      expect((await storageOf(customer)).usedBytes).toBe(0);
      await upload(customer, 700 * KIB);
      // Another organization has its own.
      await upload(await newCustomer(app), 700 * KIB);
    });

    test("counts threads, conversations and stored responses, with all that belongs to them", async () => {
      const customer = await newCustomer(app);
      const { client } = customer;
      const content = "é".repeat(110 * KIB);
      const thread = await client.beta.threads.create({ messages: [{ role: "user", content }] });
      await client.beta.threads.messages.create(thread.id, { role: "user", content });
      const afterThread = (await storageOf(customer)).usedBytes;
      expect(afterThread).toBeGreaterThan(400 * KIB);
      const item = { type: "message", role: "user", content } as const;
      const conversation = await client.conversations.create({ items: [item] });
      const { data } = await client.conversations.items.create(conversation.id, { items: [item] });
      const afterItems = (await storageOf(customer)).usedBytes;
      expect(afterItems - afterThread).toBeGreaterThan(400 * KIB);
      expect(await failure(client.conversations.items.create(conversation.id, { items: [item] }))).toMatchObject(full);
      expect(await failure(client.beta.threads.create({ messages: [{ role: "user", content }] }))).toMatchObject(full);
      // A response is paid for. The client gets it, but it is not stored.
      const asked = { model: "echo", input: content };
      expect(await client.responses.create(asked)).toMatchObject({ store: false });
      expect(await failure(client.responses.create({ ...asked, background: true }))).toMatchObject(full);
      await client.conversations.items.delete(data[0]?.id ?? "", { conversation_id: conversation.id });
      expect(afterItems - (await storageOf(customer)).usedBytes).toBeGreaterThan(200 * KIB);
      await client.conversations.delete(conversation.id);
      expect((await storageOf(customer)).usedBytes).toBe(afterThread);
      await client.beta.threads.delete(thread.id);
      const response = await client.responses.create(asked);
      expect(response).toMatchObject({ store: true });
      expect((await storageOf(customer)).usedBytes).toBeGreaterThan(400 * KIB);
      await client.responses.delete(response.id);
      expect((await storageOf(customer)).usedBytes).toBe(0);
    });

    test("counts vector stores with the passages of their files, and the removal of a team", async () => {
      const customer = await newCustomer(app);
      const { client } = customer;
      const file = await upload(customer, 10 * KIB);
      const store = await client.vectorStores.create({});
      await client.vectorStores.files.create(store.id, { file_id: file.id });
      await app.service.indexer.idle();
      const { usage_bytes } = await client.vectorStores.retrieve(store.id);
      expect(usage_bytes).toBeGreaterThan(10 * KIB);
      expect((await storageOf(customer)).usedBytes).toBeGreaterThan(10 * KIB + usage_bytes);
      await client.vectorStores.delete(store.id);
      expect((await storageOf(customer)).usedBytes).toBeLessThan(11 * KIB);
      await customer.person.send("DELETE", `/api/gw/teams/${customer.teamId}`);
      expect((await storageOf(customer)).usedBytes).toBe(0);
    });

    test("stays the same when recorded changes are summed up", async () => {
      const customer = await newCustomer(app);
      const file = await upload(customer, 10 * KIB);
      const { usedBytes } = await storageOf(customer);
      await app.service.flush();
      await upload(customer, 10 * KIB);
      expect((await storageOf(customer)).usedBytes).toBe(2 * usedBytes);
      await app.service.flush();
      await customer.client.files.delete(file.id);
      await app.service.flush();
      expect((await storageOf(customer)).usedBytes).toBe(usedBytes);
    });

    test("counts what was stored before the migration", async () => {
      const customer = await newCustomer(app);
      const { client } = customer;
      await upload(customer, 10 * KIB);
      const thread = await client.beta.threads.create({ messages: [{ role: "user", content: "Hello" }] });
      await client.responses.create({ model: "echo", input: "Hello" });
      const { usedBytes } = await storageOf(customer);
      const backend = openBackend({ databaseUrl, dataDir: app.dataDir });
      await undoMigration(backend);
      await backend.withoutTimeLimit((db) => storageUsage.up(db, columnsFor(kind)));
      await backend.close();
      expect((await storageOf(customer)).usedBytes).toBe(usedBytes);
      await client.beta.threads.delete(thread.id);
      expect((await storageOf(customer)).usedBytes).toBeLessThan(usedBytes);
    });

    test("is set by an operator for one organization, and is in the audit log", async () => {
      const customer = await newCustomer(app);
      const path = `/api/admin/organizations/${customer.person.ownId}/storage`;
      const put = async (quotaMb: unknown) => {
        const response = await app.call(path, { method: "PUT", key: MASTER_KEY, json: { quotaMb } });
        return { status: response.status, body: await response.json() };
      };
      expect(await put(2)).toMatchObject({ status: 200, body: { quotaBytes: 2 * MIB, isDefault: false } });
      expect(await put(3)).toMatchObject({ status: 200, body: { quotaBytes: 3 * MIB } });
      await upload(customer, 2 * MIB);
      expect(await put(null)).toMatchObject({ status: 200, body: { quotaBytes: MIB, isDefault: true } });
      expect((await (await app.call(path, { key: MASTER_KEY })).json()) as object).toMatchObject({ quotaBytes: MIB });
      expect(await failure(upload(customer, 1))).toMatchObject(full);
      expect((await put(-1)).status).toBe(400);
      const audit = await app.call("/api/admin/audit-logs?action=organization.storage_quota", { key: MASTER_KEY });
      expect(((await audit.json()) as { data: unknown[] }).data).toHaveLength(3);
      const others = await (await newCustomer(app)).person.send("GET", path.replace("admin", "gw"));
      expect(others.status).toBe(404);
    });
  });
}

/** Removes the tables and triggers of the migration. */
async function undoMigration({ kind, db }: Backend): Promise<void> {
  const name = sql.ref(kind === "sqlite" ? "name" : "proname");
  const { rows } = await sql<{ name: string }>`
    select ${name} as name from ${sql.table(kind === "sqlite" ? "sqlite_master" : "pg_proc")}
    where ${name} like '%\\_counted\\_%' escape '\\' and ${kind === "sqlite" ? sql`type = 'trigger'` : sql`true`}`.execute(
    db,
  );
  for (const { name } of rows) {
    await sql.raw(kind === "sqlite" ? `drop trigger ${name}` : `drop function ${name} cascade`).execute(db);
  }
  for (const table of ["storage_changes", "storage_usage", "storage_quotas"])
    await sql`drop table ${sql.table(table)}`.execute(db);
}
