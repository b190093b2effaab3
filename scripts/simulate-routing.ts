// `npm run simulate:routing`: plays every strategy in every scenario and writes docs/routing.md and docs/routing.svg.
// The seed is fixed and time is virtual, so the result is the same on every run.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderDocuments } from "./simulation/documents.ts";
import { simulateAll } from "./simulation/results.ts";

const docs = join(import.meta.dir, "../docs");
const { text, picture, tables } = renderDocuments(readFileSync(join(docs, "routing.md"), "utf8"), simulateAll());
writeFileSync(join(docs, "routing.md"), text);
writeFileSync(join(docs, "routing.svg"), picture);
console.log(tables);
