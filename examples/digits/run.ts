// Ten participants over HTTP, five in each language, learn handwritten digits together; the table says what came of it.

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { escapeHtml } from "../../src/lib/html.ts";
import { accuracyCurve, drawCurves } from "../../src/training/coordinator/report.ts";
import { rowsOf, splitForTest } from "./data.ts";
import { findNumpy } from "./find-numpy.ts";
import { Network } from "./network.ts";
import { runScenario, type Scenario } from "./scenario.ts";

const USAGE = `npm run example:digits -- [options]
  --short          one run of five rounds
  --seed NUMBER    what all chance comes from (1)
  --seeds NUMBER   how many seeds the first row has (5)
  --out FILE       where the report is written (digits-report.html)
  --python COMMAND which Python half of the participants run on (python3)`;
const values = readFlags();
const seed = readCount("seed", values.seed, 0);
const seedCount = readCount("seeds", values.seeds, 1);
const TEN = { participants: 10, skewed: false, epochs: 5, rate: 0.1, liars: 0 } as const;
/** Data that are alike bear larger steps; who has them all takes the same ones. */
const EVEN = { ...TEN, rate: 0.2 } as const;
const above = (least: number) => (accuracy: number) => said(`${least} or better`, accuracy * 100 >= least);
const attacked = (strategy: Scenario["strategy"], goal: Scenario["goal"]): Scenario => ({
  ...TEN,
  goal,
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
  ? [{ ...EVEN, name: "evenly mixed, fedavg", rounds: 5, strategy: { name: "fedavg" } }]
  : [
      { ...EVEN, name: "evenly mixed, fedavg", rounds: 50, strategy: { name: "fedavg" } },
      { ...EVEN, name: "evenly mixed, secure sum", rounds: 50, strategy: { name: "fedavg" }, secure: true },
      {
        ...TEN,
        name: "two digits each, fedadam",
        rounds: 100,
        epochs: 1,
        skewed: true,
        strategy: { name: "fedadam" },
        goal: above(96.5),
      },
      attacked({ name: "fedavg" }, (accuracy) => said("collapses, below 50", accuracy < 0.5)),
      attacked({ name: "median" }, above(95)),
      attacked({ name: "trimmed_mean", f: 2 }, above(95)),
      attacked({ name: "multi_krum", f: 2, keep: 8 }, above(95)),
      skewedRobust({ name: "fedavg" }),
      skewedRobust({ name: "trimmed_mean", f: 2 }),
      skewedRobust({ name: "multi_krum", f: 2, keep: 8 }),
      skewedRobust({ name: "median" }),
      skewedRobust({ name: "krum", f: 2 }),
    ];

const python = await findNumpy(values.python);
if (python === null) console.log("No Python with numpy is to be had; all ten participants are in TypeScript.");

const percent = (share: number | null | undefined) => (share == null ? "-" : (share * 100).toFixed(1));
const middle = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[(numbers.length - 1) >> 1] ?? 0;
const table: string[][] = [];
const curves: ReturnType<typeof accuracyCurve>[] = [];
const show = (name: string, length: string, accuracy: number, goal: string, remark = "") => {
  table.push([name, length, percent(accuracy), goal, remark]);
  const figures = `${length.padStart(10)}  ${percent(accuracy).padStart(5)} %`;
  console.log(`${name.padEnd(40)} ${figures}  ${goal.padEnd(34)} ${remark}`.trimEnd());
};
const said = (words: string, isMet: boolean) => `${words}: ${isMet ? "met" : "NOT MET"}`;

/** One run over HTTP; accuracy at the end, and its curve. */
async function play(scenario: Scenario, seed: number) {
  const { rounds } = await runScenario(scenario, python, seed, ({ round, accuracy }) => {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r\u001b[2K${scenario.name}: round ${round} of ${scenario.rounds}, ${percent(accuracy)} %`);
  });
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[2K");
  const warned = rounds.filter(({ warning }) => warning !== null).length;
  return { rounds, accuracy: rounds.at(-1)?.accuracy ?? 0, warned };
}

/** As many passes over all rows as there are rounds, by one who has them all. */
function trainInOnePlace(seed: number, epochs: number, rate: number): number {
  const { train, test } = splitForTest(seed);
  const network = Network.fresh(seed);
  network.train(rowsOf(train), { rate, epochs, seed: `central ${seed}` });
  return network.accuracy(rowsOf(test));
}

// What a seed decides is worth a point; so the first row is the middle of several.
const [even, ...others] = SCENARIOS as [Scenario, ...Scenario[]];
const seeds = Array.from({ length: values.short ? 1 : seedCount }, (_, at) => seed + at);
const evenly = [];
for (const own of seeds) {
  const central = trainInOnePlace(own, even.rounds, even.rate);
  const together = await play(even, own);
  if (own === seed) curves.push(accuracyCurve(even.name, together.rounds));
  evenly.push({ central, together: together.accuracy, behind: central - together.accuracy });
}
const behind = middle(evenly.map((one) => one.behind));
const of = seeds.length === 1 ? "" : `, middle of ${seeds.length} seeds`;
show(`in one place${of}`, `${even.rounds} epochs`, middle(evenly.map(({ central }) => central)), "");
const goal = values.short ? "" : said(`within 0.5 of that (${(behind * 100).toFixed(2)})`, behind <= 0.005);
const each = evenly.map(({ central, together }) => `${percent(together)} / ${percent(central)}`).join(", ");
show(`${even.name}${of}`, `${even.rounds} rounds`, middle(evenly.map(({ together }) => together)), goal, each);

for (const scenario of others) {
  const { rounds, accuracy, warned } = await play(scenario, seed);
  const remark = warned > 0 ? `warned in ${warned} rounds that updates point apart` : "";
  show(scenario.name, `${scenario.rounds} rounds`, accuracy, scenario.goal?.(accuracy) ?? "", remark);
  curves.push(accuracyCurve(scenario.name, rounds));
}

const cells = (row: readonly string[]) => `<tr>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`;
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Digits, learned together</title>
<style>body{font:14px/1.5 system-ui;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#1f2937}svg{width:100%;height:auto}
table{border-collapse:collapse;width:100%;margin-top:1.5rem}td,th{padding:.3rem .6rem;text-align:left;border-bottom:1px solid #e5e7eb;vertical-align:top}
td:nth-child(2),td:nth-child(3),th:nth-child(2),th:nth-child(3){text-align:right;white-space:nowrap}td:last-child{color:#6b7280}</style>
<h1>Digits, learned together</h1>
<p>Ten participants over HTTP, ${python === null ? "all in TypeScript" : "five in TypeScript and five in Python"}; accuracy on digits that nobody trained with.</p>
${drawCurves(curves, `accuracy over rounds, seed ${seed}`)}
<table><tr><th>run<th>length<th>accuracy, %<th>goal<th>remarks</tr>${table.map(cells).join("")}</table></html>\n`;
writeFileSync(values.out, page);
console.log(`report   ${resolve(values.out)}`);

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: "boolean", default: false },
        short: { type: "boolean", default: false },
        seed: { type: "string", default: "1" },
        seeds: { type: "string", default: "5" },
        out: { type: "string", default: "digits-report.html" },
        python: { type: "string", default: "python3" },
      },
    });
    if (!values.help) return values;
    console.log(USAGE);
    process.exit(0);
  } catch (thrown) {
    return refuse(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function readCount(name: string, text: string, least: number): number {
  const count = Number(text);
  return Number.isSafeInteger(count) && count >= least
    ? count
    : refuse(`--${name} is a whole number of ${least} or more`);
}

function refuse(words: string): never {
  console.error(`${words}\n\n${USAGE}`);
  process.exit(2);
}
