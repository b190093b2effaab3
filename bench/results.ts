// `npm run bench:results -- FILE`: writes the measurements of `npm run bench -- --json FILE` or of
// `npm run bench:soak -- --json FILE` into bench/RESULTS.md. Figures on that page are never typed.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { judgeSoak, type SoakReport } from "./judge-soak.ts";
import type { Report } from "./report.ts";
import { sectionOf, soakSectionOf, withSection } from "./results-page.ts";
import { soakDiagramOf } from "./soak-diagram.ts";

const SOAK_DIAGRAM = "results-soak.svg";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Name the JSON file of a run: npm run bench:results -- FILE");

const report = JSON.parse(readFileSync(file, "utf8")) as Report | SoakReport;
if ("residentMb" in report) {
  writeSection("soak", soakSectionOf(report, SOAK_DIAGRAM));
  writeFileSync(pathOf(SOAK_DIAGRAM), soakDiagramOf(report.residentMb, judgeSoak(report.residentMb)));
} else writeSection("figures", sectionOf(report));

function writeSection(name: string, section: string): void {
  const page = pathOf("RESULTS.md");
  writeFileSync(page, withSection(readFileSync(page, "utf8"), name, section));
  console.log(`bench/RESULTS.md: section "${name}"`);
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
