import { afterAll, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";
import { newCall } from "../storage/new-usage.ts";

interface Tags {
  data: { start: string; tag: string; requests: number; cost: number; costUsd: string; totalTokens: number }[];
  meta: object;
}

const app = await startApp();
afterAll(() => app.close());
const owner = await newPerson(app);
const stranger = await newPerson(app);
const call = (time: string, tags: string[], cost: bigint, organizationId = owner.ownId) =>
  newCall({ at: Date.parse(time), organizationId, tags, cost, promptTokens: 3, completionTokens: 4 });
await app.storage.usage.record([
  call("2026-03-28T22:59:59Z", ["red"], 1n),
  call("2026-03-28T23:00:00Z", ["red", "blue"], 10n),
  call("2026-03-29T10:00:00Z", [], 100n),
  call("2026-03-29T11:00:00Z", ["red"], 1000n, stranger.ownId),
]);

const ask = async (query: string) => {
  const { status, body } = await owner.send("GET", `/api/gw/usage/tags?${query}`);
  return { status, ...(body as Tags) };
};
const SPAN = "startDate=2026-03-28&endDate=2026-03-29&tz=Europe/Berlin";

test("each tag has its calls, one with two counts for both, and nobody else's are there", async () => {
  const { data, meta } = await ask(SPAN);
  expect(data.map(({ tag, requests, cost }) => [tag, requests, cost])).toEqual([
    ["red", 2, 11],
    ["blue", 1, 10],
  ]);
  expect(data[0]).toMatchObject({ costUsd: "0.000000011", totalTokens: 14, start: "2026-03-27T23:00:00.000Z" });
  expect(meta).toMatchObject({ tz: "Europe/Berlin", bucket: null });
});

test("days are those of the zone that was asked for", async () => {
  const { data } = await ask(`${SPAN}&bucket=day`);
  expect(data.map(({ start, tag, cost }) => [start, tag, cost])).toEqual([
    ["2026-03-27T23:00:00.000Z", "red", 1],
    ["2026-03-28T23:00:00.000Z", "blue", 10],
    ["2026-03-28T23:00:00.000Z", "red", 10],
  ]);
});

test("more than a hundred buckets are refused in words", async () => {
  expect((await ask("startDate=2026-03-01&endDate=2026-03-31&bucket=hour")).status).toBe(400);
  expect((await ask("startDate=2026-03-01&endDate=2026-03-31&bucket=day")).status).toBe(200);
});

test("a model is the one that served, as in all sums", async () => {
  const away = { at: Date.parse("2026-05-05T12:00:00Z"), organizationId: owner.ownId, requestedModel: "asked-for" };
  await app.storage.usage.record([
    newCall({ ...away, model: "stood-in", tags: ["green"], cost: 7n }),
    newCall({ ...away, model: "asked-for", tags: ["green"], cost: 2n }),
  ]);
  for (const [model, cost] of [
    ["asked-for", 2],
    ["stood-in", 7],
  ] as const) {
    const query = `startDate=2026-05-05&endDate=2026-05-05&model=${model}`;
    expect((await ask(query)).data).toMatchObject([{ tag: "green", requests: 1, cost }]);
    const { body } = await owner.send("GET", `/api/gw/usage?${query}&groupBy=tag`);
    expect((body as Tags).data).toMatchObject([{ tag: "green", requests: 1, cost }]);
  }
});
