import { basename, dirname } from "node:path";
import type { FunctionFact } from "./facts.ts";
import { type Imports, resolveImport } from "./imports.ts";
import { areaOf, isTest } from "./repository.ts";
import { type Place, placeAt, type Rule, type Sources } from "./rule.ts";

const FUNCTION_LINES_MAX = 70;
const PARAMETERS_MAX = 4;
const FILE_LINES_MIN = 20;
const FOLDER_FILES_MAX = 25;

/** Migrations and decisions: a numbered series grows by design. */
const NUMBERED = /^\d{4}-/;
/** A route, and the list of an area's routes, has a separate file however short it is. */
const ROUTE_LIST = /routes\.tsx?$/;
const ROUTE = /\broute\(\{/;

export const longFunctions: Rule = {
  name: "long functions",
  find: (sources) =>
    findFunctions(sources, ({ name, start, end }, text) => {
      const lines = end - start < FUNCTION_LINES_MAX ? 1 : countLines(text.slice(start, end));
      return lines > FUNCTION_LINES_MAX ? `${name} has ${lines} lines: split it` : null;
    }),
};

export const longParameterLists: Rule = {
  name: "long parameter lists",
  find: (sources) =>
    findFunctions(sources, ({ name, parameters }) =>
      parameters > PARAMETERS_MAX ? `${name} has ${parameters} parameters: pass related ones as one object` : null,
    ),
};

type DescribeFunction = (found: FunctionFact, text: string) => string | null;

function findFunctions({ facts, texts }: Sources, describe: DescribeFunction): Place[] {
  const places: Place[] = [];
  for (const [path, { functions }] of facts) {
    const text = texts.get(path) ?? "";
    for (const found of functions) {
      const message = describe(found, text);
      if (message !== null) places.push(placeAt({ path, text }, found, message));
    }
  }
  return places;
}

/** Files of the program and of its tools that are in truth a part of their only importer. */
export const smallFiles: Rule = {
  name: "small files",
  find: ({ texts, imports }) =>
    [...findImporters(imports)].flatMap(([path, importers]) => {
      const [importer = ""] = importers;
      const text = texts.get(path) ?? "";
      const lines = countLines(text.trimEnd());
      if (importers.size !== 1 || lines >= FILE_LINES_MIN || isSeparateByDesign(path, text)) return [];
      const message = `${lines} lines, used only by ${importer}: merge the two`;
      return [placeAt({ path, text }, { start: 0, end: text.length }, message)];
    }),
};

/** Tests do not count as importers. Modules that are loaded on demand are left out: they cannot be merged. */
function findImporters(imports: Imports): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  const onDemand = new Set<string>();
  for (const [path, found] of imports) {
    if (isTest(path)) continue;
    for (const item of found) {
      const file = resolveImport(item.target, imports);
      if (file === null || isTest(file)) continue;
      if (item.onDemand) onDemand.add(file);
      importers.set(file, (importers.get(file) ?? new Set()).add(path));
    }
  }
  for (const path of onDemand) importers.delete(path);
  return importers;
}

function isSeparateByDesign(path: string, text: string): boolean {
  return NUMBERED.test(basename(path)) || ROUTE_LIST.test(path) || ROUTE.test(text);
}

/** A test beside its source does not count: it must not be a reason to move the test away. */
export const largeFolders: Rule = {
  name: "crowded folders",
  find: ({ paths }) => {
    const folders = Map.groupBy(paths.filter(countsInFolder), dirname);
    return [...folders].flatMap(([folder, files]) => {
      const count = files.length - FOLDER_FILES_MAX;
      const message = `${files.length} files: divide the folder by subject`;
      return count > 0 ? [{ folder: areaOf(`${folder}/`), path: folder, line: 1, lastLine: 1, message, count }] : [];
    });
  },
};

function countsInFolder(path: string): boolean {
  const isBesideSource = !path.startsWith("test/") && /\.test\.\w+$/.test(path);
  return !isBesideSource && !NUMBERED.test(basename(path));
}

function countLines(text: string): number {
  return text.split("\n").length;
}
