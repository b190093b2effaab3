import { expect, test } from "bun:test";
import { goalCellsOf, goalsOf, isMet } from "../../bench/goals.ts";
import type { Report, Row } from "../../bench/report.ts";

const at = (median: number) => ({ median, low: median, high: median });
const row = (workload: string, contender: string, figures: Row["figures"], fault: string | null = null): Row => ({
  workload,
  contender,
  rounds: 1,
  void: fault,
  figures,
});
const report = (rows: readonly Row[]): Report => ({
  command: "",
  machine: { processors: "", memoryGb: 1, system: "", runtime: "", loadBefore: [], at: "" },
  contenders: ["turnpike", "portkey"].map((name) => ({ name, about: "" })),
  workloads: [
    { name: "chat", title: "small chat", shows: [] },
    { name: "stream", title: "stream", shows: [] },
  ],
  starts: [{ name: "turnpike", absent: null, startMs: at(499), idleMb: at(121) }],
  rows,
});
const cells = (rows: readonly Row[]) => goalCellsOf(report(rows));

test("a goal is met or not by the median of its figure", () => {
  expect(cells([])).toEqual([
    ["RSS idle, MB", "at most 120", "121", "NO"],
    ["first response after its start, ms", "at most 500", "499", "yes"],
  ]);
  expect(cells([row("chat", "turnpike", { timesFloor: at(1.5) })])[0]?.at(-1)).toBe("yes");
  expect(cells([row("chat", "turnpike", { timesFloor: at(1.51) })])[0]?.at(-1)).toBe("NO");
});

test("routing, limits, cache and guardrails have a separate bound", () => {
  const found = (micros: number) =>
    cells([row("varied", "turnpike-guarded", { overPlainMicros: at(micros) })]).find(([what]) =>
      what?.includes("guardrail"),
    );
  expect(found(15)?.slice(1)).toEqual(["at most 15.00", "15.00", "yes"]);
  expect(found(15.1)?.at(-1)).toBe("NO");
});

test("a peer must take many times Turnpike's time on small chat, and more than it on everything", () => {
  const found = cells([
    row("chat", "portkey", { timesTurnpike: at(14) }),
    row("stream", "portkey", { timesTurnpike: at(14) }),
  ]).filter(([what]) => what?.includes("portkey"));
  expect(found.map((each) => each.slice(1))).toEqual([
    ["at least 15.00", "14.00", "NO"],
    ["at least 1.00", "14.00", "yes"],
  ]);
});

test("a void or missing figure is neither met nor missed", () => {
  const voided = report([row("chat", "turnpike", { timesFloor: at(1) }, "wrong body")]);
  const [chat] = goalsOf(voided);
  expect(chat && isMet(chat)).toBeNull();
  expect(goalCellsOf(voided).some(([what]) => what?.startsWith("small chat"))).toBe(false);
});
