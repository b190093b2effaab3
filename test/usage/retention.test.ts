import { afterAll, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { newCall } from "../storage/new-usage.ts";

const DAY_MS = 86_400_000;
const clock = new SteppedClock();
const app = await startApp("general_settings: { usage_retention_days: 30 }\n", null, clock);
afterAll(() => app.close());

test("old calls leave the log by the installation's time or the organization's, and what they cost stays", async () => {
  const [short, long] = [await newPerson(app), await newPerson(app)];
  expect((await short.send("PUT", "/api/gw/organizations", { id: short.ownId, dataRetentionDays: 7 })).status).toBe(
    200,
  );
  expect((await long.send("PUT", "/api/gw/organizations", { id: long.ownId, dataRetentionDays: 90 })).status).toBe(200);
  const now = clock.nowMs();
  const calls = [short, long].flatMap(({ ownId: organizationId }) =>
    [1, 10, 40].map((days) => newCall({ organizationId, at: now - days * DAY_MS })),
  );
  await app.storage.usage.record(calls);
  const spent = await app.storage.usage.spendOf({ organizationId: short.ownId });

  await app.service.tidy();
  const left = async (organizationId: string) =>
    (await app.storage.usage.list({ organizationId }, { order: "newest", limit: 10 })).map(
      ({ at }) => (now - at) / DAY_MS,
    );
  expect(await left(short.ownId)).toEqual([1]);
  expect(await left(long.ownId)).toEqual([1, 10]);
  expect(await app.storage.usage.spendOf({ organizationId: short.ownId })).toEqual(spent);
  const { body } = await short.send("GET", `/api/gw/usage?startDate=${new Date(now - 50 * DAY_MS).toISOString()}`);
  expect((body as { totals: { requests: number } }).totals.requests).toBe(3);

  clock.step(8 * DAY_MS);
  await app.service.tidy();
  expect(await left(short.ownId)).toEqual([]);
});

test("a thousand calls go in steps, and a database that is away is no end", async () => {
  const { ownId: organizationId } = await newPerson(app);
  const at = clock.nowMs() - 31 * DAY_MS;
  await app.storage.usage.record(Array.from({ length: 1_234 }, () => newCall({ organizationId, keyId: "k", at })));
  const { removeBefore } = app.storage.usage;
  const steps: number[] = [];
  const store = app.storage.usage as { removeBefore: typeof removeBefore };
  store.removeBefore = async (...args) => {
    const removed = await removeBefore(...args);
    steps.push(removed);
    return removed;
  };
  await app.service.tidy();
  expect(steps.slice(0, 3)).toEqual([500, 500, 234]);
  expect(await app.storage.usage.count({ organizationId })).toBe(0);
  store.removeBefore = () => Promise.reject(new Error("away"));
  await app.service.tidy();
  store.removeBefore = removeBefore;
  expect(app.logged.at(-1)).toContain("could not be taken out");
});

test("without a setting nothing is taken out", async () => {
  const plain = await startApp();
  const call = newCall({ at: 1 });
  await plain.storage.usage.record([call]);
  await plain.service.tidy();
  expect(await plain.storage.usage.find(call.id)).not.toBeNull();
  await plain.close();
});
