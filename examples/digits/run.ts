// `npm run example:digits -- [--short] [--seed 1] [--out digits-report.html] [--python python3]`
// Ten participants over HTTP, five in each language, learn handwritten digits together; the table says what came of it.

import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { escapeHtml } from "../../src/lib/html.ts";
import { accuracyCurve, drawCurves } from "../../src/training/coordinator/report.ts";
import { rowsOf, splitForTest } from "./data.ts";
import { Network } from "./network.ts";
import { runScenario, type Scenario } from "./scenario.ts";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "digits-report.html" },
    python: { type: "string", default: "python3" },
  },
});
const seed = Number(values.seed);
const TEN = { participants: 10, skewed: false, epochs: 5, liars: 0 } as const;
const attacked = (strategy: Scenario["strategy"]): Scenario => ({
  ...TEN,
  name: `2 of 10 lie, ${strategy.name}`,
  rounds: 30,
  liars: 2,
  strategy,
});
const skewedRobust = (strategy: Scenario["strategy"]): Scenario => ({
  ...TEN,
  name: `two digits each, ${strategy.name}`,
  rounds: 60,
  skewed: true,
  strategy,
});

const SCENARIOS: readonly Scenario[] = values.short
  ? [{ ...TEN, name: "evenly mixed, fedavg", rounds: 5, strategy: { name: "fedavg" } }]
  : [
      { ...TEN, name: "evenly mixed, fedavg", rounds: 50, strategy: { name: "fedavg" } },
      { ...TEN, name: "evenly mixed, secure sum", rounds: 50, strategy: { name: "fedavg" }, secure: true },
      { ...TEN, name: "two digits each, fedadam", rounds: 100, epochs: 1, skewed: true, strategy: { name: "fedadam" } },
      attacked({ name: "fedavg" }),
      attacked({ name: "median" }),
      attacked({ name: "trimmed_mean", f: 2 }),
      attacked({ name: "multi_krum", f: 2, keep: 8 }),
      skewedRobust({ name: "fedavg" }),
      skewedRobust({ name: "trimmed_mean", f: 2 }),
      skewedRobust({ name: "multi_krum", f: 2, keep: 8 }),
      skewedRobust({ name: "median" }),
      skewedRobust({ name: "krum", f: 2 }),
    ];

const python = await findNumpy(values.python);
if (python === null) console.log("No Python with numpy is to be had; all ten participants are in TypeScript.");

const { train, test } = splitForTest(seed);
const central = Network.fresh(seed);
central.train(rowsOf(train), { rate: 0.1, epochs: values.short ? 5 : 50, seed: `central ${seed}` });
const percent = (share: number | null | undefined) => (share == null ? "-" : (share * 100).toFixed(1));
const table: string[][] = [
  ["in one place, no participants", values.short ? "5" : "50", percent(central.accuracy(rowsOf(test))), ""],
];
const curves = [];
for (const scenario of SCENARIOS) {
  const { rounds } = await runScenario(scenario, python, seed, ({ round, accuracy }) => {
    if (process.stderr.isTTY)
      process.stderr.write(`\r\u001b[2K${scenario.name}: round ${round} of ${scenario.rounds}, ${percent(accuracy)} %`);
  });
  const last = rounds.at(-1);
  const warned = rounds.filter(({ warning }) => warning !== null).length;
  const remark = warned > 0 ? `warned in ${warned} rounds that updates point apart` : "";
  table.push([scenario.name, String(scenario.rounds), percent(last?.accuracy), remark]);
  curves.push(accuracyCurve(scenario.name, rounds));
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[2K");
  console.log(
    `${scenario.name.padEnd(36)} ${String(scenario.rounds).padStart(4)} rounds  ${percent(last?.accuracy).padStart(5)} %  ${remark}`,
  );
}
console.log(
  `${(table[0]?.[0] ?? "").padEnd(36)} ${(table[0]?.[1] ?? "").padStart(4)} epochs  ${(table[0]?.[2] ?? "").padStart(5)} %`,
);

const cells = (row: readonly string[]) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`;
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Digits, learned together</title>
<style>body{font:14px system-ui;max-width:60rem;margin:2rem auto}td,th{padding:.2rem .6rem;text-align:left}</style>
<h1>Digits, learned together</h1>
${drawCurves(curves, "accuracy over rounds")}
<table><tr><th>run<th>rounds<th>accuracy, %<th></tr>${table.map(cells).join("")}</table></html>\n`;
writeFileSync(values.out, page);
console.log(`report   ${resolve(values.out)}`);

/** A Python with numpy: the one that is named, or one that is made for this once. */
async function findNumpy(named: string): Promise<string | null> {
  const has = (command: string) =>
    Bun.which(command) !== null && Bun.spawnSync([command, "-c", "import numpy"], { stderr: "ignore" }).success;
  if (has(named)) return named;
  const folder = join(import.meta.dir, "../../node_modules/.cache/python-numpy");
  const own = join(folder, "bin/python");
  if (existsSync(own) && has(own)) return own;
  if (Bun.which(named) === null) return null;
  for (const step of [
    [named, "-m", "venv", "--clear", folder],
    [
      own,
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--timeout",
      "20",
      "--retries",
      "1",
      "numpy",
    ],
  ]) {
    if ((await Bun.spawn(step, { stdout: "ignore", stderr: "ignore" }).exited) !== 0) return null;
  }
  return has(own) ? own : null;
}
