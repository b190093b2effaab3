// `npm run build`: makes what the first start would, and starts nothing. For machines, and containers, on which nothing may be written later.

import { ensureImage } from "./ensure-image.mjs";
import { ensureInstalled, root } from "./ensure-installed.mjs";
import { ensureWeb } from "./ensure-web.mjs";

const bun = await ensureInstalled({ purpose: "run" });
const problem = await ensureWeb();
if (problem !== null) console.error(problem);
const [program, ...script] = await ensureImage({ root, bun, mayBuild: true });
const isMade = problem === null && script.length === 0;
if (isMade) console.log(`The program is ${program}`);
process.exitCode = isMade ? 0 : 1;
