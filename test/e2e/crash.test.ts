import { expect, test } from "bun:test";
import { runCrashes } from "../crash/harness.ts";
import { isClean, renderBooks, renderRun } from "../crash/report.ts";
import { isNightly } from "../property-runs.ts";

/** Generous: the machine may be busy. */
const SLOW_MS = 300_000;
/** Every second one at one of the five named points. */
const KILLS = isNightly ? 20 : 10;

test(
  "a gateway that is killed repeatedly under load has lost no call and charged none twice",
  async () => {
    const lines: string[] = [];
    const report = await runCrashes({
      runs: KILLS,
      seed: Date.now() % 1_000_000,
      clients: 12,
      onRun: (run) => lines.push(renderRun(run)),
    });
    const told = `${lines.join("\n")}\n${renderBooks(report)}`;
    if (!isClean(report)) throw new Error(told);
    expect(report.runs.filter(({ at }) => at === "any time").length).toBeGreaterThanOrEqual(KILLS / 2);
    expect(report.books.byStatus.succeeded ?? 0).toBeGreaterThan(0);
    expect(report.books.byStatus.aborted ?? 0).toBeGreaterThan(0);
  },
  SLOW_MS,
);
