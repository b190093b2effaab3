import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderDocuments } from "../../scripts/simulation/documents.ts";
import { LOAD, simulateAll } from "../../scripts/simulation/results.ts";
import { simulate } from "../../scripts/simulation/run.ts";
import { configOf } from "../config/load-text.ts";

const docs = join(import.meta.dir, "../../docs");
const results = simulateAll();
const read = (name: string) => readFileSync(join(docs, name), "utf8");

test("docs/routing.md and its picture are what `npm run simulate:routing` makes", () => {
  const { text, picture } = renderDocuments(read("routing.md"), results);
  expect(text).toBe(read("routing.md"));
  expect(picture).toBe(read("routing.svg"));
});

test("with one deployment in trouble no caller sees an error, and attempts stay below 1.2 a call", () => {
  const { ofFour, ofTwo } = results;
  const kept = [...ofFour, ...ofTwo].map(({ scenario, rows }) => ({
    name: scenario.name,
    outcome: rows.find(({ strategy }) => strategy === "peak-latency")?.outcome,
  }));
  expect(kept.filter(({ outcome }) => outcome?.errorRate !== 0)).toEqual([]);
  expect(kept.filter(({ outcome }) => (outcome?.attemptsPerCall ?? 9) > 1.2)).toEqual([]);
});

test("where one is slow or hangs, the default keeps the slowest of a hundred calls below half of what chance gives", () => {
  const { ofFour } = results;
  const p99 = (name: string, strategy: string) =>
    ofFour.find(({ scenario }) => scenario.name === name)?.rows.find((row) => row.strategy === strategy)?.outcome.p99Ms;
  for (const name of ["uneven", "slow", "hanging"]) {
    expect(p99(name, "peak-latency") ?? 1).toBeLessThan((p99(name, "simple-shuffle") ?? 0) / 2);
  }
});

test("when every deployment fails, there are at most a fifth more attempts than calls", () => {
  const dead = { firstTokenMs: 400, slots: 60, at: () => ({ dead: true }) };
  const scenario = { name: "all dead", says: "", upstreams: [dead, dead, dead, dead] };
  const { calls, errorRate, attemptsPerCall } = simulate(scenario, configOf(""), LOAD);
  expect(errorRate).toBe(1);
  // Before anything has failed, a few retries are made in good faith.
  expect(attemptsPerCall * calls).toBeLessThan(calls * 1.2 + 10);
});
