import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Report } from "../../bench/report.ts";
import { sectionOf, withSection } from "../../bench/results-page.ts";

const at = (median: number, low: number, high: number) => ({ median, low, high });
const REPORT: Report = {
  command: "npm run bench -- --rounds 3",
  machine: {
    processors: "2 x A Processor",
    memoryGb: 8,
    system: "Linux 6 x64",
    runtime: "Bun 1",
    loadBefore: [0.1, 0.2, 0.3],
    at: "2026-01-02T03:04:05.000Z",
  },
  contenders: [{ name: "turnpike", about: "everything" }],
  workloads: [{ name: "chat", title: "small chat", shows: ["cpuMicros", "timesFloor"] }],
  starts: [
    { name: "turnpike", absent: null, startMs: at(300, 290, 320), idleMb: at(90, 90, 90) },
    { name: "nginx", absent: "nginx is not installed", startMs: null, idleMb: null },
  ],
  rows: [
    {
      workload: "chat",
      contender: "turnpike",
      rounds: 3,
      void: null,
      figures: { cpuMicros: at(65.4, 60, 71.2), timesFloor: at(1.5, 1.4, 1.6) },
    },
    {
      workload: "chat",
      contender: "litellm",
      rounds: 3,
      void: "3 not answered with 2xx",
      figures: { cpuMicros: at(1, 1, 1) },
    },
  ],
};

test("a section has every figure with its spread, names absent contenders, and has no figure of a void row", () => {
  const section = sectionOf(REPORT);
  expect(section).toContain("```\nnpm run bench -- --rounds 3\n```");
  expect(section).toContain("| `turnpike` | everything |");
  expect(section).toContain("| turnpike | 65 (60 to 71) | 1.50 (1.40 to 1.60) |");
  expect(section).toContain("| turnpike | 300 (290 to 320) | 90 |");
  expect(section).toContain("| nginx | absent: nginx is not installed |");
  expect(section).toContain("| litellm | void | void |");
  expect(section).toContain("- litellm is void: 3 not answered with 2xx");
});

test("gateways are listed by processor time, without void rows, relays and other settings of Turnpike", () => {
  const rows = Object.entries({ floor: 20, smg: 131, envoy: 33, "turnpike-bare": 50 }).map(([contender, micros]) => ({
    workload: "chat",
    contender,
    rounds: 1,
    void: null,
    figures: { cpuMicros: at(micros, micros, micros) },
  }));
  const section = sectionOf({ ...REPORT, rows: [...REPORT.rows, ...rows] });
  expect(section).toContain("| Small chat | envoy 33, turnpike 65, smg 131 |");
});

test("a section replaces the earlier one and leaves the rest of the page unchanged", () => {
  const page = "top\n<!-- a: begin -->\nold\n<!-- a: end -->\nend\n";
  const once = withSection(page, "a", "new");
  expect(once).toBe("top\n<!-- a: begin -->\n\nnew\n\n<!-- a: end -->\nend\n");
  expect(withSection(once, "a", "new")).toBe(once);
  expect(() => withSection(page, "b", "new")).toThrow("no section");
});

test("the page of results has the sections that the commands write", () => {
  const page = readFileSync(new URL("../../bench/RESULTS.md", import.meta.url), "utf8");
  for (const name of ["figures", "soak"]) expect(withSection(page, name, "x")).toContain(`${name}: begin -->\n\nx`);
});
