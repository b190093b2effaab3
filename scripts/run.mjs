// `node scripts/run.mjs FILE [arguments]`: runs a script of this repository with its own Bun.

import { ensureInstalled } from "./ensure-installed.mjs";
import { launch } from "./launch.mjs";

const [entry = "", ...args] = process.argv.slice(2);
const bun = await ensureInstalled({ purpose: "develop" });
process.exitCode = await launch({ program: [bun, entry], args });
