import { afterAll, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";
import { newCall } from "../storage/new-usage.ts";

interface Report {
  data: { bucket?: string; start: string; end: string; model?: string; cost: number; requests: number }[];
  totals: { requests: number; cost: number; costUsd: string; failedRequests: number; averageLatencyMs: number };
  meta: object;
}

const app = await startApp();
afterAll(() => app.close());
const owner = await newPerson(app);
const TIMES = ["2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"];
await app.storage.usage.record(
  TIMES.map((time, index) =>
    newCall({
      at: Date.parse(time),
      organizationId: owner.ownId,
      model: index % 2 === 0 ? "a" : "b",
      status: index === 3 ? "failed" : "succeeded",
      cost: BigInt(10 ** index),
      latencyMs: 100 * (index + 1),
    }),
  ),
);

const report = async (query: string) => {
  const { status, body } = await owner.send("GET", `/api/gw/usage?${query}`);
  return { status, ...(body as Report) };
};

test("a day that the clocks cut short has its own calls and no others", async () => {
  const span = "startDate=2026-03-28&endDate=2026-03-30&bucket=day&tz=Europe/Berlin";
  const { data, totals, meta } = await report(span);
  expect(data.map(({ bucket, requests, cost }) => [bucket, requests, cost])).toEqual([
    ["2026-03-28", 1, 1],
    ["2026-03-29", 2, 110],
    ["2026-03-30", 1, 1000],
  ]);
  expect(totals).toMatchObject({
    requests: 4,
    cost: 1111,
    costUsd: "0.000001111",
    failedRequests: 1,
    averageLatencyMs: 250,
  });
  expect(meta).toEqual({
    startDate: "2026-03-27T23:00:00.000Z",
    endDate: "2026-03-30T22:00:00.000Z",
    tz: "Europe/Berlin",
    bucket: "day",
    groupBy: [],
    source: "sums",
  });
});

test("every way to cut and group has the same totals", async () => {
  const span = "startDate=2026-03-01&endDate=2026-04-30";
  const { totals } = await report(span);
  for (const tz of ["UTC", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe"]) {
    for (const bucket of ["hour", "day", "week", "month"]) {
      const cut = await report(`${span}&tz=${tz}&bucket=${bucket}&groupBy=model,status,apiKey,team,user,provider,type`);
      expect(cut.totals).toEqual(totals);
      expect(cut.data.reduce((sum, { cost }) => sum + cost, 0)).toBe(totals.cost);
    }
  }
});

test("groups carry what they are of, and the range is that of whole quarters", async () => {
  const { data, meta } = await report("startDate=2026-03-28T22:59:59Z&endDate=2026-03-28T23:00:01Z&group_by=model");
  expect(data).toMatchObject([
    { model: "a", requests: 1 },
    { model: "b", requests: 1 },
  ]);
  expect(meta).toMatchObject({ startDate: "2026-03-28T22:45:00.000Z", endDate: "2026-03-28T23:15:00.000Z" });
  const narrowed = await report("startDate=2026-03-01&endDate=2026-04-01&model=a&status=success");
  expect(narrowed.totals.cost).toBe(101);
});

test("what cannot be asked is refused in words", async () => {
  for (const bad of [
    "groupBy=mood",
    "groupBy=organization",
    "bucket=year",
    "tz=Nowhere",
    "startDate=2026-03-02&endDate=2026-02-28",
    "startDate=2000-01-01&bucket=hour",
  ]) {
    expect((await report(bad)).status).toBe(400);
  }
  expect((await report("startDate=2030-01-01&endDate=2030-01-02")).data).toEqual([]);
});
