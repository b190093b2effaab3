// `npm run crash -- --runs N [--seed S] [--clients C] [--json]`: kills the gateway again and again under load and checks its books.

import { parseArgs } from "node:util";
import { runCrashes } from "../test/crash/harness.ts";
import { isClean, RUN_HEADING, renderBooks, renderRun } from "../test/crash/report.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    clients: { type: "string", default: "16" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log("npm run crash -- [--runs 20] [--seed N] [--clients 16] [--json]");
  process.exit(0);
}

if (!values.json) console.log(RUN_HEADING);
const report = await runCrashes({
  runs: Number(values.runs),
  seed: Number(values.seed),
  clients: Number(values.clients),
  onRun: (run) => {
    if (!values.json) console.log(renderRun(run));
  },
});
const asText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
console.log(values.json ? JSON.stringify(report, asText, 2) : `\n${renderBooks(report)}`);
process.exitCode = isClean(report) ? 0 : 1;
