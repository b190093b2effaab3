// `npm run allowances`: lowers the allowances of the architecture test to the present counts. It never raises one.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ALLOWANCES_FILE,
  compare,
  countPlaces,
  findPlaces,
  lower,
  readAllowances,
  writeAllowances,
} from "../test/architecture/allowances.ts";
import { reportExcess } from "../test/architecture/report.ts";
import { readRepository } from "../test/architecture/repository.ts";
import { readSources } from "../test/architecture/rule.ts";
import { RULES } from "../test/architecture/rules.ts";

const root = join(import.meta.dir, "..");
const file = join(root, ALLOWANCES_FILE);
const before = existsSync(file) ? readAllowances(readFileSync(file, "utf8")) : {};
const sources = readSources(readRepository(root));
const findings = findPlaces(RULES, sources);
const counts = countPlaces(findings, sources);
const after = lower(before, counts);

writeFileSync(file, writeAllowances(after));
for (const { rule, folder, allowed, count } of compare(before, after)) {
  console.log(`${folder}: ${rule}: ${allowed} -> ${count}`);
}
const problem = reportExcess(root, compare(after, counts), findings);
if (problem !== null) {
  console.error(problem);
  process.exitCode = 1;
}
