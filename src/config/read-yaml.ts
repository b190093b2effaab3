import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Scalar as YamlScalar } from "yaml";
import type { Place, Report } from "./fault.ts";
import { childPath, describe, type Entry, type Mapping, type Node } from "./tree.ts";
import { isRecoverable, yamlMessage } from "./yaml-message.ts";

/** Values after all aliases are written out. A real file has a few thousand; more is an alias bomb. */
const EXPANDED_NODES_MAX = 200_000;

/** Reads one file. `null` where there is nothing to read, or nothing that can be read. */
export function readYaml(file: string, text: string, report: Report): Mapping | null {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
    const seenLines = new Set<number | null>();
    for (const error of [...document.errors, ...document.warnings]) {
      const at = placeAt(error.pos[0]);
      // One slip makes the parser stumble several times in its line; the first says what it was.
      if (seenLines.has(at.line)) continue;
      seenLines.add(at.line);
      report.syntaxFault(at, yamlMessage(error.code), isRecoverable(error.code));
    }
    if (document.contents === null) return null;
    const root = new Conversion(placeAt, report).node(document.contents, "", placeAt(0));
    if (root.kind === "map") return root;
    if (root.kind === "list" || root.value !== null) {
      report.fault(root.at, "", `a configuration is a map of keys such as \`model_list:\`, found ${describe(root)}`);
    }
    return null;
  } catch (error) {
    if (!(error instanceof TooLargeError || error instanceof RangeError)) throw error;
    report.fault({ file, line: null, column: null }, "", yamlMessage("RESOURCE_EXHAUSTION"));
    return null;
  }
}

class TooLargeError extends Error {}

/** Parser tree -> our tree: aliases and `<<` resolved, positions turned into line and column. */
class Conversion {
  readonly #anchors = new Map<string, object>();
  /** An aliased value is converted once and shared, so that only its size multiplies. */
  readonly #done = new Map<object, { readonly node: Node; readonly size: number }>();
  readonly #open = new Set<object>();
  #size = 0;

  constructor(
    readonly placeAt: (offset: number) => Place,
    readonly report: Report,
  ) {}

  /** `near` is where a value that is not written at all is said to stand. */
  node(source: unknown, path: string, near: Place): Node {
    const at = this.#place(source, near);
    if (isAlias(source)) return this.#alias(source.source, path, at);
    const before = this.#size;
    this.#count(1);
    if (!isNode(source)) return { kind: "scalar", value: null, text: "", at };
    if (source.anchor !== undefined) this.#anchors.set(source.anchor, source);
    this.#open.add(source);
    const node = this.#convert(source, path, at);
    this.#open.delete(source);
    if (source.anchor !== undefined) this.#done.set(source, { node, size: this.#size - before });
    return node;
  }

  #convert(source: object, path: string, at: Place): Node {
    if (isMap(source)) return this.#map(source.items, path, at);
    if (isSeq(source)) {
      const items = source.items.map((item, index) => this.node(item, childPath(path, index), at));
      return { kind: "list", items, at };
    }
    if (!isScalar(source)) return { kind: "scalar", value: null, text: "", at };
    const { value } = source;
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return { kind: "scalar", value: isPlain ? value : null, text: scalarText(source), at };
  }

  #count(nodes: number): void {
    this.#size += nodes;
    if (this.#size > EXPANDED_NODES_MAX) throw new TooLargeError();
  }

  #place(source: unknown, near: Place): Place {
    return isNode(source) && source.range ? this.placeAt(source.range[0]) : near;
  }

  #alias(name: string, path: string, at: Place): Node {
    const target = this.#anchors.get(name);
    const done = target === undefined ? undefined : this.#done.get(target);
    if (done !== undefined) {
      this.#count(done.size);
      return done.node;
    }
    const isInside = target !== undefined && this.#open.has(target);
    const message = isInside
      ? "an alias cannot stand inside the value that it repeats"
      : "an alias needs an anchor (`&name`) above it; there is none of this name";
    this.report.fault(at, path, message);
    return { kind: "scalar", value: null, text: "", at };
  }

  #map(pairs: readonly { key: unknown; value: unknown }[], path: string, at: Place): Mapping {
    const own = new Map<string, Entry>();
    const merged = new Map<string, Entry>();
    for (const { key, value } of pairs) {
      const keyAt = this.#place(key, at);
      if (isMergeKey(key)) {
        this.#merge(merged, this.node(value, path, keyAt), path);
        continue;
      }
      if (!isScalar(key) || key.value === null) {
        this.report.fault(keyAt, path, "keys must be plain text");
        continue;
      }
      const name = scalarText(key);
      const node = this.node(value, childPath(path, name), keyAt);
      if (!own.has(name)) own.set(name, { keyAt, value: node });
    }
    // Own keys win over merged ones wherever they stand.
    for (const [name, entry] of merged) if (!own.has(name)) own.set(name, entry);
    return { kind: "map", entries: own, at };
  }

  #merge(into: Map<string, Entry>, from: Node, path: string): void {
    if (from.kind === "list") {
      for (const item of from.items) this.#merge(into, item, path);
    } else if (from.kind === "map") {
      for (const [name, entry] of from.entries) if (!into.has(name)) into.set(name, entry);
    } else if (from.value !== null) {
      this.report.fault(from.at, path, "`<<` takes a map, or an alias of one");
    }
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === "symbol";
}

function scalarText(scalar: YamlScalar): string {
  if (typeof scalar.value === "string") return scalar.value;
  return scalar.source ?? String(scalar.value);
}
