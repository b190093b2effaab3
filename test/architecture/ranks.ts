// The order of the folders in src/: a folder imports from lower ranks only, never from a sibling.

import { dirname, join, normalize } from "node:path";

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

/** Folders with nothing above them but main.ts, and what they may use. */
const DOORS: Readonly<Record<string, readonly string[]>> = { cli: ["contract", "lib"] };

/** A package of its own: it imports nothing of the program, and these folders may use it. */
const SDK = "sdk/typescript/src/";
const SDK_USERS: ReadonlySet<string> = new Set(["cli", "training"]);

const ENTRY = "src/main.ts";
const LINES_MAX = 400;
const VAGUE_NAMES = new Set(["utils", "helpers", "common", "manager", "types"]);

interface Import {
  target: string;
  typeOnly: boolean;
}

/** Every breach of the rules in the given files (path -> text); an empty list when they are kept. */
export function findBreaches(files: ReadonlyMap<string, string>): string[] {
  const imports = new Map([...files].map(([path, text]) => [path, parseImports(path, text)]));
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
    .map((part) => `${path}: "${part}" says nothing about what is inside`);
  const folder = folderOf(path);
  if (folder === null && path !== ENTRY && !isTest(path)) breaches.push(`${path}: only main.ts lies directly in src/`);
  if (folder !== null && !(folder in RANKS) && !(folder in DOORS)) {
    breaches.push(`${path}: the folder "${folder}" has no rank in test/architecture/ranks.ts`);
  }
  return breaches;
}

function sizeBreaches(path: string, text: string): string[] {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return path.startsWith("src/") && lines > LINES_MAX ? [`${path}: ${lines} lines, more than ${LINES_MAX}`] : [];
}

function importBreaches(path: string, { target, typeOnly }: Import): string[] {
  if (path.startsWith("web/")) return webBreaches(path, target, typeOnly);
  if (path.startsWith(SDK)) return sdkBreaches(path, target);
  if (!path.startsWith("src/")) return [];
  if (!target.startsWith("src/")) {
    const usesSdk = target === `${SDK}index.ts` && SDK_USERS.has(folderOf(path) ?? "");
    const allowed = target === "package.json" || usesSdk || (isTest(path) && target.startsWith("test/"));
    return allowed ? [] : [`${path} imports ${target}, which is no part of the program`];
  }
  if (path === ENTRY) return [];
  if (target === ENTRY || target === "src/main") {
    return isTest(path) ? [] : [`${path} imports ${target}, which joins the others and is imported by none`];
  }
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === null || to === null || from === to) return [];
  return mayImport(from, to)
    ? []
    : [`${path} imports ${target}: ${from} may not use ${to} (docs/architecture.md has the order of the folders)`];
}

function webBreaches(path: string, target: string, typeOnly: boolean): string[] {
  if (!target.startsWith("src/")) return [];
  return typeOnly && folderOf(target) === "contract"
    ? []
    : [`${path} imports ${target}: web takes types from contract only`];
}

function sdkBreaches(path: string, target: string): string[] {
  return target.startsWith(SDK) ? [] : [`${path} imports ${target}: the SDK is packed alone and has no dependencies`];
}

function mayImport(from: string, to: string): boolean {
  const door = DOORS[from];
  if (door !== undefined) return door.includes(to);
  const [fromRank, toRank] = [RANKS[from], RANKS[to]];
  return fromRank !== undefined && toRank !== undefined && toRank < fromRank;
}

function folderOf(path: string): string | null {
  const [, folder, file] = path.split("/");
  return folder !== undefined && file !== undefined ? folder : null;
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}

// Type-only imports count, which is why Bun's own scanner does not serve: it drops them.
// The formatter puts every statement at the start of a line, so text in comments and strings is not taken for one.
const STATEMENT =
  /^[ \t]*(?:import\s*|(?:import|export)\b(\s+type\b(?!\s+from\b|\s*,))?[\w$\s{},*]*?\bfrom\s*)["'](\.[^"'\n]*)["']/gm;
const CALL = /\b(?:import|require)\(\s*["'](\.[^"'\n]*)["']/g;

function parseImports(path: string, text: string): Import[] {
  const resolve = (specifier: string) => normalize(join(dirname(path), specifier));
  return [
    ...[...text.matchAll(STATEMENT)].map((match) => ({
      target: resolve(match[2] ?? ""),
      typeOnly: match[1] !== undefined,
    })),
    ...[...text.matchAll(CALL)].map((match) => ({ target: resolve(match[1] ?? ""), typeOnly: false })),
  ];
}

function findCycles(files: ReadonlyMap<string, string>, imports: ReadonlyMap<string, Import[]>): string[] {
  const breaches: string[] = [];
  const finished = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string) => {
    const start = trail.indexOf(path);
    if (start >= 0) breaches.push(`import cycle: ${[...trail.slice(start), path].join(" -> ")}`);
    if (start >= 0 || finished.has(path)) return;
    trail.push(path);
    for (const { target } of imports.get(path) ?? []) {
      const file = [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((name) => files.has(name));
      if (file !== undefined) visit(file);
    }
    trail.pop();
    finished.add(path);
  };
  for (const path of files.keys()) visit(path);
  return breaches;
}
