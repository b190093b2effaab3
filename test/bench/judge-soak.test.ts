import { expect, test } from "bun:test";
import { judgeSoak, soakSentenceOf } from "../../bench/judge-soak.ts";
import { soakDiagramOf } from "../../bench/soak-diagram.ts";
import { theilSen } from "../../bench/theil-sen.ts";

/** Ten minutes by the second: a saw of twenty megabytes over a growth, with noise that is the same in every run. */
const memory = (growthMbPerMinute: number) =>
  Array.from({ length: 600 }, (_, second) => {
    return 150 + (second / 60) * growthMbPerMinute + (second % 47) * 0.4 + Math.sin(second * second) * 3;
  });

test("memory that goes up and down without growing passes", () => {
  const judgement = judgeSoak(memory(0));
  expect(judgement.good).toBe(true);
  expect(Math.abs(judgement.growth?.slope ?? 9)).toBeLessThan(0.3);
  expect(soakSentenceOf(judgement)).toStartWith("passed");
});

test("a leak of three megabytes a minute fails, however much the memory goes up and down", () => {
  const judgement = judgeSoak(memory(3));
  expect(judgement.good).toBe(false);
  expect(judgement.growth?.slope).toBeCloseTo(3, 0);
  expect(soakSentenceOf(judgement)).toMatch(/^FAILED.*lower bound is not over 1 MB\/min/);
});

test("some wild samples do not make a slope", () => {
  const wild = memory(0).map((mb, second) => (second > 400 && second < 480 ? mb + 500 : mb));
  expect(judgeSoak(wild).good).toBe(true);
});

test("less than fifty seconds are too short to judge, and do not pass", () => {
  const judgement = judgeSoak(memory(0).slice(0, 49));
  expect(judgement).toMatchObject({ good: false, growth: null });
  expect(soakSentenceOf(judgement)).toStartWith("too short");
});

test("the interval holds the slope, and is a point where every two points agree", () => {
  const line = Array.from({ length: 20 }, (_, x) => ({ x, y: 2 * x + 7 }));
  expect(theilSen(line)).toEqual({ slope: 2, low: 2, high: 2, intercept: 7 });
  const noisy = line.map(({ x, y }) => ({ x, y: y + Math.sin(x * x * 7) * 5 }));
  const found = theilSen(noisy);
  expect(found?.low).toBeLessThan(2);
  expect(found?.high).toBeGreaterThan(2);
});

test("the diagram has a point for each stretch", () => {
  const residentMb = memory(0);
  expect(soakDiagramOf(residentMb, judgeSoak(residentMb)).split("<circle").length - 1).toBe(60);
});
