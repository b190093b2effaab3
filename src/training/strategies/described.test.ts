import { expect, test } from "bun:test";
import { describeStrategies } from "./described.ts";
import { createStrategy, STRATEGY_NAMES } from "./strategies.ts";

test("every strategy is described, with settings that it takes and the fewest updates that it works with", () => {
  const described = describeStrategies();
  expect(described.map(({ name }) => name)).toEqual([...STRATEGY_NAMES]);
  for (const { name, summary, settings, updatesMin } of described) {
    expect(summary).not.toBe("");
    const usual = settings.map((one) => [one.name === "learning_rate" ? "learningRate" : one.name, one.usual]);
    expect(createStrategy({ name, ...Object.fromEntries(usual) }).refuses(updatesMin)).toBeNull();
  }
  const needs = Object.fromEntries(described.map(({ name, updatesMin }) => [name, updatesMin]));
  expect(needs).toMatchObject({ fedavg: 1, median: 3, trimmed_mean: 3, krum: 5, multi_krum: 5 });
});
