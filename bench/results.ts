// `npm run bench:results -- FILE [--section NAME]`: writes what `npm run bench -- --json FILE` or `npm run bench:soak -- --json FILE`
// measured into its section of bench/RESULTS.md, with a picture beside it. Figures on that page are never typed.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { judgeSoak, type SoakReport } from "./judge-soak.ts";
import { pictureOf } from "./picture.ts";
import type { Report } from "./report.ts";
import { sectionOf, soakSectionOf, withSection } from "./results-page.ts";
import { soakPictureOf } from "./soak-picture.ts";

const { values, positionals } = parseArgs({ options: { section: { type: "string" } }, allowPositionals: true });
const [file] = positionals;
if (file === undefined) throw new Error("npm run bench:results -- FILE [--section NAME]");

const report = JSON.parse(readFileSync(file, "utf8")) as Report | SoakReport;
const name = values.section ?? ("residentMb" in report ? "soak" : "figures");
const picture = `results-${name}.svg`;
const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const section = "residentMb" in report ? soakSectionOf(report, picture) : sectionOf(report, picture);
const page = beside("RESULTS.md");
writeFileSync(page, withSection(readFileSync(page, "utf8"), name, section));
writeFileSync(
  beside(picture),
  "residentMb" in report ? soakPictureOf(report.residentMb, judgeSoak(report.residentMb)) : pictureOf(report),
);
console.log(`bench/RESULTS.md: section "${name}"; bench/${picture}`);
