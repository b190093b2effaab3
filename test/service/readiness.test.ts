import { afterEach, expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Schema from "typebox/schema";
import { databaseDown } from "../../src/storage/translate-error.ts";
import { inFull } from "../api-description.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";

let app: TestApp;
afterEach(() => app.close());

const ready = async () => {
  const response = await app.call("/health/readiness");
  return {
    code: response.status,
    ...((await response.json()) as { status: string; db: string; journal: string; reason?: string }),
  };
};
/** What the API description says of an answer. */
async function described(status: number) {
  const document = (await (await app.call("/openapi.json")).json()) as {
    components: Record<string, Record<string, unknown>>;
    paths: {
      "/health/readiness": { get: { responses: Record<number, { content: Record<string, { schema: object }> }> } };
    };
  };
  const { responses } = inFull(document.paths["/health/readiness"].get, document);
  const schema = responses[status]?.content["application/json"]?.schema;
  return Schema.Check(schema ?? false, await (await app.call("/health/readiness")).json());
}
const chat = async (content = "hi") => {
  const json = { model: "echo", messages: [{ role: "user", content }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  await response.text();
  return response.status;
};
/** Asks nothing but readiness, as a balancer does that sends no calls meanwhile. */
async function until(code: number): Promise<void> {
  while ((await ready()).code !== code) await Bun.sleep(5);
}

/** From now on nothing can be written to the journal, until what it gives is called. */
function breakJournal(): () => void {
  const folder = join(app.dataDir, "journal", app.service.books.standing().owner);
  renameSync(folder, `${folder}-away`);
  writeFileSync(folder, "in its place");
  return () => {
    rmSync(folder);
    renameSync(`${folder}-away`, folder);
  };
}

test("a process whose journal cannot be written is not ready, says why, and is again without a call", async () => {
  app = await startApp();
  const mend = breakJournal();
  expect(await ready()).toMatchObject({ code: 200, journal: "writable" });
  expect(await described(200)).toBe(true);
  expect(await chat()).toBe(503);
  expect(await ready()).toEqual({
    code: 503,
    status: "unhealthy",
    db: "connected",
    journal: "unwritable",
    reason: expect.stringMatching(/^The usage journal cannot be written \(E[A-Z]+\)\.$/),
  });
  expect([await described(503), await described(200)]).toEqual([true, false]);
  mend();
  await until(200);
  expect(await chat()).toBe(200);
});

test("what is in the cache is not given while it cannot be written down", async () => {
  app = await startApp("litellm_settings: { cache: true }\n");
  expect(await chat()).toBe(200);
  await app.service.books.flush();
  const { books } = app.service;
  while (books.standing().journal.segments > 0) await Bun.sleep(5);
  const mend = breakJournal();
  expect(await chat("new")).toBe(503);
  expect([await chat(), await chat()]).toEqual([503, 503]);
  expect(books.standing().journal.kept).toBe(0);
  mend();
  await until(200);
  expect(await chat()).toBe(200);
});

test("a process whose ended calls the database has not taken for half a minute is not ready until it does", async () => {
  const clock = new SteppedClock();
  app = await startApp("", null, clock);
  const { settlement } = app.storage;
  const { settle } = settlement;
  Object.assign(settlement, { settle: () => Promise.reject(databaseDown(new Error("read only"))) });
  expect(await chat()).toBe(200);
  expect(await app.service.books.flush()).toBe(false);
  clock.step(30_000);
  expect((await ready()).code).toBe(200);
  clock.step(1_000);
  expect(await ready()).toMatchObject({
    code: 503,
    status: "unhealthy",
    db: "connected",
    reason: "The database does not take ended calls.",
  });
  Object.assign(settlement, { settle });
  await until(200);
});

test("a database that never responds makes the process unready, and is asked once at a time", async () => {
  app = await startApp();
  const { ping } = app.storage;
  const silent = Promise.withResolvers<void>();
  let pings = 0;
  Object.assign(app.storage, {
    ping: () => {
      pings++;
      return silent.promise;
    },
  });
  expect(await Promise.all([ready(), ready()])).toMatchObject([
    { code: 503, db: "disconnected", reason: "The database does not respond." },
    { code: 503, db: "disconnected" },
  ]);
  expect(pings).toBe(1);
  Object.assign(app.storage, { ping });
  silent.resolve();
  await until(200);
});

test("operators are told the same with what is running, and how many requests there are", async () => {
  app = await startApp("general_settings: { log_level: warn }\nlitellm_settings: { cache: true }\n");
  const ask = (path: string) => app.call(path, { key: MASTER_KEY });
  const details = await ask("/health/readiness/details");
  expect(details.status).toBe(200);
  expect(await details.json()).toEqual({
    ...{ status: "healthy", db: "connected", journal: "writable" },
    ...{ cache: "local", gw_version: expect.any(String), log_level: "warn" },
  });
  app.draining = true;
  const drains = await ask("/health/readiness/details");
  expect([drains.status, await drains.json()]).toMatchObject([503, { reason: expect.any(String), log_level: "warn" }]);
  expect(await (await ask("/health/backlog")).json()).toEqual({ in_flight_requests: expect.any(Number) });
});

test("LiteLLM's command line reads the version where the server has its header prefix", async () => {
  app = await startApp("general_settings: { header_prefix: litellm }\n");
  const details = (await (await app.call("/health/readiness/details", { key: MASTER_KEY })).json()) as object;
  expect(details).toMatchObject({
    litellm_version: expect.stringMatching(/^\d+\.\d+/),
    gw_version: expect.any(String),
  });
});
