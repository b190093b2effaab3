import { type Import, type Imports, readImports, resolveImport } from "./imports.ts";
import { isTest } from "./repository.ts";

/** The order of the folders in src/: a folder imports only from folders with a lower rank, never from its own rank. */
const RANKS: Readonly<Record<string, number>> = {
  contract: 0,
  lib: 0,
  accounts: 1,
  assistants: 1,
  batches: 1,
  cache: 1,
  catalog: 1,
  config: 1,
  files: 1,
  guardrails: 1,
  http: 1,
  billing: 1,
  ledger: 1,
  limits: 1,
  mail: 1,
  outbox: 1,
  providers: 1,
  training: 1,
  usage: 1,
  workers: 1,
  gateway: 2,
  models: 2,
  storage: 2,
  routes: 3,
  start: 4,
};

/** Folders that only main.ts imports, with the folders that they may import. */
const ENTRY_FOLDERS: Readonly<Record<string, readonly string[]>> = { cli: ["contract", "lib"] };

/** A separate package. It imports nothing from the program, and only SDK_USERS may import it. */
const SDK = "sdk/typescript/src/";
const SDK_USERS: ReadonlySet<string> = new Set(["cli", "training"]);

const ENTRY = "src/main.ts";
const LINES_MAX = 400;
const VAGUE_NAMES = new Set(["utils", "helpers", "common", "manager", "types"]);

/** Finds every breach of the rules on folders, names and imports in the files (path -> text). */
export function findBreaches(files: ReadonlyMap<string, string>, imports: Imports = readImports(files)): string[] {
  return [
    ...[...files].flatMap(([path, text]) => [...placeBreaches(path), ...sizeBreaches(path, text)]),
    ...[...imports].flatMap(([path, found]) => found.flatMap((item) => importBreaches(path, item))),
    ...findCycles(files, imports),
  ];
}

function placeBreaches(path: string): string[] {
  if (!path.startsWith("src/")) return [];
  const breaches = path
    .split("/")
    .filter((part) => VAGUE_NAMES.has(part.split(".")[0] ?? ""))
    .map((part) => `${path}: "${part}" does not say what the file contains`);
  const folder = folderOf(path);
  if (folder === null && path !== ENTRY && !isTest(path))
    breaches.push(`${path}: only main.ts may be directly in src/`);
  if (folder !== null && !(folder in RANKS) && !(folder in ENTRY_FOLDERS)) {
    breaches.push(`${path}: the folder "${folder}" has no rank in test/architecture/ranks.ts`);
  }
  return breaches;
}

function sizeBreaches(path: string, text: string): string[] {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return path.startsWith("src/") && lines > LINES_MAX ? [`${path}: ${lines} lines, the limit is ${LINES_MAX}`] : [];
}

function importBreaches(path: string, { target, typeOnly }: Import): string[] {
  if (path.startsWith("web/")) return webBreaches(path, target, typeOnly);
  if (path.startsWith(SDK)) return sdkBreaches(path, target);
  if (!path.startsWith("src/")) return [];
  if (!target.startsWith("src/")) {
    const usesSdk = target === `${SDK}index.ts` && SDK_USERS.has(folderOf(path) ?? "");
    const allowed = target === "package.json" || usesSdk || (isTest(path) && target.startsWith("test/"));
    return allowed ? [] : [`${path} imports ${target}, which is not part of the program`];
  }
  if (path === ENTRY) return [];
  if (target === ENTRY || target === "src/main") {
    return isTest(path) ? [] : [`${path} imports ${target}, which no other file may import`];
  }
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === null || to === null || from === to) return [];
  return mayImport(from, to)
    ? []
    : [`${path} imports ${target}: ${from} may not import ${to} (docs/architecture.md shows the order)`];
}

function webBreaches(path: string, target: string, typeOnly: boolean): string[] {
  if (!target.startsWith("src/")) return [];
  return typeOnly && folderOf(target) === "contract"
    ? []
    : [`${path} imports ${target}: web may import only types, and only from contract`];
}

function sdkBreaches(path: string, target: string): string[] {
  return target.startsWith(SDK)
    ? []
    : [`${path} imports ${target}: the SDK is a separate package without dependencies`];
}

function mayImport(from: string, to: string): boolean {
  const allowed = ENTRY_FOLDERS[from];
  if (allowed !== undefined) return allowed.includes(to);
  const [fromRank, toRank] = [RANKS[from], RANKS[to]];
  return fromRank !== undefined && toRank !== undefined && toRank < fromRank;
}

function folderOf(path: string): string | null {
  const [, folder, file] = path.split("/");
  return folder !== undefined && file !== undefined ? folder : null;
}

function findCycles(files: ReadonlyMap<string, string>, imports: Imports): string[] {
  const breaches: string[] = [];
  const finished = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string) => {
    const start = trail.indexOf(path);
    if (start >= 0) breaches.push(`import cycle: ${[...trail.slice(start), path].join(" -> ")}`);
    if (start >= 0 || finished.has(path)) return;
    trail.push(path);
    for (const { target } of imports.get(path) ?? []) {
      const file = resolveImport(target, files);
      if (file !== null) visit(file);
    }
    trail.pop();
    finished.add(path);
  };
  for (const path of files.keys()) visit(path);
  return breaches;
}
