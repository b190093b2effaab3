import { dirname, isAbsolute, join, resolve } from "node:path";
import { type Place, type Report, variablePlace } from "./fault.ts";
import { readText } from "./read-value.ts";
import { readYaml } from "./read-yaml.ts";
import type { Scope } from "./scope.ts";
import { childPath, describe, type Entry, isNull, type Mapping, type Node } from "./tree.ts";

export type ReadFile = (path: string) => string;

const DEFAULT_FILE = "./turnpike.yaml";

/** Reads a file and all that it includes into one tree, whose nodes still know the file that they stand in. */
export class FileReader {
  readonly files: string[] = [];
  /** What each of them said. */
  readonly texts: Record<string, string> = {};
  readonly #open: string[] = [];
  readonly #read = new Set<string>();

  constructor(
    readonly scope: Scope,
    readonly readFile: ReadFile,
  ) {}

  /** The file that was asked for, or that `TURNPIKE_CONFIG` names, or the default one where it exists. */
  start(asked: string | null): Mapping | null {
    if (asked !== null) return this.#file(asked, { file: asked, line: null, column: null }, "");
    const named = this.scope.variable("TURNPIKE_CONFIG");
    if (named) return this.#file(named, variablePlace("TURNPIKE_CONFIG"), "");
    return this.#file(DEFAULT_FILE, null, "");
  }

  /** `at` is who wants the file; `null` where it may be missing. */
  #file(file: string, at: Place | null, path: string): Mapping | null {
    const identity = resolve(file);
    if (at !== null && this.#read.has(identity)) {
      const isCycle = this.#open.includes(identity);
      this.scope.report.fault(
        at,
        path,
        isCycle ? "files include each other in a circle" : "this file is included twice",
      );
      return null;
    }
    const text = this.#text(file, at, path);
    if (text === null) return null;
    this.files.push(file);
    this.texts[file] = text;
    this.#read.add(identity);
    this.#open.push(identity);
    const root = readYaml(file, text, this.scope.report);
    const whole = root === null ? null : this.#withIncluded(file, root);
    this.#open.pop();
    return whole;
  }

  #text(file: string, at: Place | null, path: string): string | null {
    try {
      return this.readFile(file);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (at === null && code === "ENOENT") return null;
      this.scope.report.fault(
        at ?? { file, line: null, column: null },
        path,
        `cannot read \`${file}\`: ${reason(code)}`,
      );
      return null;
    }
  }

  /** What comes first wins: the including file, then the files that it includes, in their order. */
  #withIncluded(file: string, root: Mapping): Mapping {
    const include = root.entries.get("include")?.value;
    if (include === undefined || isNull(include)) return root;
    const items = include.kind === "list" ? include.items : [include];
    let whole: Mapping = { ...root, entries: new Map([...root.entries].filter(([key]) => key !== "include")) };
    for (const [index, item] of items.entries()) {
      const path = childPath("include", index);
      const name = readText(this.scope, item, path);
      if (name === null) continue;
      const target = isAbsolute(name) ? name : join(dirname(file), name);
      const included = this.#file(target, item.at, path);
      if (included !== null) whole = mergeMaps(whole, included, "", this.scope.report);
    }
    return whole;
  }
}

function reason(code: string): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "there is no such file",
    EACCES: "permission denied",
    EISDIR: "it is a folder",
  };
  return reasons[code] ?? "it cannot be opened";
}

/** Maps are merged key by key and lists are appended; of two other values, that of `first` stays. */
function mergeMaps(first: Mapping, second: Mapping, path: string, report: Report): Mapping {
  const entries = new Map<string, Entry>(first.entries);
  for (const [key, entry] of second.entries) {
    const earlier = entries.get(key);
    if (earlier === undefined) entries.set(key, entry);
    else entries.set(key, { ...earlier, value: mergeNodes(earlier.value, entry.value, childPath(path, key), report) });
  }
  return { ...first, entries };
}

function mergeNodes(first: Node, second: Node, path: string, report: Report): Node {
  if (isNull(second)) return first;
  if (isNull(first)) return second;
  if (first.kind === "list" && second.kind === "list") return { ...first, items: [...first.items, ...second.items] };
  if (first.kind === "map" && second.kind === "map") return mergeMaps(first, second, path, report);
  if (first.kind !== second.kind) {
    report.fault(second.at, path, `is ${describe(second)} here and ${describe(first)} in ${first.at.file}`);
  }
  return first;
}
