import { expect, test } from "bun:test";
import type { FigureName } from "../../bench/figures.ts";
import type { Round } from "../../bench/measure.ts";
import { Results, rowOf, tableOf } from "../../bench/report.ts";
import { WORKLOADS, type Workload } from "../../bench/workloads.ts";

const round = (figures: Partial<Record<FigureName, number>>, fault: string | null = null): Round => ({
  figures,
  void: fault,
});

function workload(name: string): Workload {
  const found = WORKLOADS.find((each) => each.name === name);
  if (!found) throw new Error(`no workload ${name}`);
  return found;
}

/** Rounds by contender, each of them processor time per call. */
function resultsOf(name: string, micros: Readonly<Record<string, readonly number[]>>): Results {
  const results = new Results();
  for (const [contender, each] of Object.entries(micros)) {
    for (const cpuMicros of each) results.add(name, contender, round({ cpuMicros }));
  }
  return results;
}

test("a ratio is made within a round, then its median: a slow moment of the machine is in both and cancels out", () => {
  const results = resultsOf("chat", { floor: [10, 100, 10], turnpike: [20, 200, 30] });
  const row = rowOf(workload("chat"), "turnpike", results);
  expect(row?.figures.timesFloor).toEqual({ median: 2, low: 2, high: 3 });
  expect(row?.figures.cpuMicros).toEqual({ median: 30, low: 20, high: 200 });
});

test("a peer's row says how many times Turnpike's time it takes", () => {
  const results = resultsOf("chat", { turnpike: [10, 20], portkey: [150, 400] });
  expect(rowOf(workload("chat"), "portkey", results)?.figures.timesTurnpike).toEqual({
    median: 17.5,
    low: 15,
    high: 20,
  });
});

test("time over the plain gateway is compared within a round", () => {
  const results = resultsOf("varied", {
    floor: [20, 20, 20],
    "turnpike-plain": [80, 160, 82],
    "turnpike-guarded": [95, 170, 99],
  });
  expect(rowOf(workload("varied"), "turnpike-guarded", results)?.figures.overPlainMicros).toEqual({
    median: 15,
    low: 10,
    high: 17,
  });
  for (const other of ["floor", "turnpike-plain"])
    expect(rowOf(workload("varied"), other, results)?.figures.overPlainMicros).toBeNull();
});

test("a translated call is compared with the floor's call without translation", () => {
  const results = resultsOf("chat", { floor: [10] });
  results.add("anthropic", "turnpike", round({ cpuMicros: 25 }));
  expect(rowOf(workload("anthropic"), "turnpike", results)?.figures.timesFloor?.median).toBe(2.5);
});

test("the cost of a longer prompt is reported per kilobyte", () => {
  const results = resultsOf("prompt-40k", { turnpike: [100] });
  results.add("prompt-400k", "turnpike", round({ cpuMicros: 820 }));
  expect(rowOf(workload("prompt-400k"), "turnpike", results)?.figures.microsPerKb?.median).toBe(2);
});

test("one void round voids its row, and no row is compared with a void one", () => {
  const results = resultsOf("chat", { floor: [10], turnpike: [20, 20] });
  results.add("chat", "floor", round({ cpuMicros: 1 }, "a wrong body"));
  const row = rowOf(workload("chat"), "turnpike", results);
  const floor = rowOf(workload("chat"), "floor", results);
  expect(row?.figures.timesFloor).toEqual({ median: 2, low: 2, high: 2 });
  expect(floor?.void).toBe("a wrong body");
  expect(tableOf(workload("chat"), floor ? [floor] : [])).toMatch(/floor +void/);
});

test("a contender that did not serve a workload has no row, and a missing figure is a dash", () => {
  const results = resultsOf("chat", { turnpike: [20] });
  expect(rowOf(workload("chat"), "floor", results)).toBeNull();
  const row = rowOf(workload("chat"), "turnpike", results);
  expect(row?.figures.timesFloor).toBeNull();
  expect(tableOf(workload("chat"), row ? [row] : [])).toMatch(/turnpike +20 +- +1\.00/);
});
