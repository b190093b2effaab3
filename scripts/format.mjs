// `npm run format`: mends what the formatter and the linter can; words after `--` name files and folders.

import { spawnSync } from "node:child_process";
import { ensureInstalled, root } from "./ensure-installed.mjs";

await ensureInstalled({ purpose: "develop" });
const where = process.argv.slice(2);
const biome = ["node_modules/@biomejs/biome/bin/biome", "check", "--write", ...(where.length > 0 ? where : ["."])];
process.exitCode = spawnSync(process.execPath, biome, { cwd: root, stdio: "inherit" }).status ?? 1;
