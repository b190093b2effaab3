import { didYouMean } from "../lib/spelling/suggest.ts";
import { isWildcard, matchWildcard } from "../lib/wildcard.ts";
import { readTexts } from "./read-value.ts";
import type { FallbackTable } from "./router-config.ts";
import { shown } from "./secrets.ts";
import type { Section } from "./section.ts";
import { childPath, describe, type Node } from "./tree.ts";
import { Wildcards } from "./wildcards.ts";

/** How many names are compared with ones that there are not, for all of a file together. */
const COMPARED_MAX = 50_000;

/** The names that a call may use: groups, aliases and wildcards. */
export class CallableNames {
  readonly #names: ReadonlySet<string>;
  readonly #wildcards: Wildcards;
  #compared = 0;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#wildcards = new Wildcards([...this.#names].filter((name) => name.includes("*")));
  }

  has(name: string): boolean {
    return this.#names.has(name) || this.#wildcards.match(name);
  }

  /** Whether it is a pattern that one of them fits. */
  isPatternOfSome(pattern: string): boolean {
    return isWildcard(pattern) && [...this.#names].some((name) => matchWildcard(pattern, name) !== null);
  }

  /** Whether it is a name by itself, and none that only fits a pattern. */
  isExact(name: string): boolean {
    return this.#names.has(name);
  }

  /** The nearest name. Where thousands are not known, such as those of stored models, only the first are looked for. */
  suggestion(name: string): string {
    if (this.#compared > COMPARED_MAX) return "";
    this.#compared += this.#names.size;
    return didYouMean(name, this.#names);
  }
}

/** `[{ group: [next, ...] }, ...]`. `keys` are the names that a list may stand under: more than can be called. */
export function readFallbacks(
  section: Section,
  key: string,
  names: CallableNames,
  keys: CallableNames,
): FallbackTable | null {
  const field = section.field(key);
  if (field === null) return null;
  const { node, path } = field;
  if (node.kind !== "list") {
    section.fault(key, `expected a list such as [{ group: [next] }], found ${describe(node)}`);
    return {};
  }
  const table = new Map<string, readonly string[]>();
  for (const [index, item] of node.items.entries()) {
    readItem(section, item, childPath(path, index), names, keys, table);
  }
  return Object.fromEntries(table);
}

function readItem(
  section: Section,
  item: Node,
  path: string,
  names: CallableNames,
  keys: CallableNames,
  table: Map<string, readonly string[]>,
): void {
  const { report } = section.scope;
  if (item.kind !== "map" || item.entries.size !== 1) {
    const found = item.kind === "map" ? `${item.entries.size} keys` : describe(item);
    report.fault(item.at, path, `expected one group and its list, such as { group: [next] }, found ${found}`);
    return;
  }
  for (const [group, { keyAt, value }] of item.entries) {
    const groupPath = childPath(path, group);
    if (table.has(group)) {
      report.warn(keyAt, groupPath, "this group has a list above, which is the one that is used");
      continue;
    }
    if (group !== "*" && !keys.has(group)) {
      const message = `no model is called \`${shown(group)}\`, so this list is never used${names.suggestion(group)}`;
      report.warn(keyAt, groupPath, message);
    }
    table.set(group, readTargets(section, value, groupPath, names) ?? []);
  }
}

/** A list of groups; names that cannot be called are kept, since models may also be added while it runs. */
export function readTargets(section: Section, node: Node, path: string, names: CallableNames): string[] | null {
  const targets = readTexts(section.scope, node, path);
  for (const [index, target] of targets?.entries() ?? []) {
    if (names.has(target)) continue;
    const at = node.kind === "list" ? (node.items[index]?.at ?? node.at) : node.at;
    const message = `no model is called \`${shown(target)}\`${names.suggestion(target)}`;
    section.scope.report.warn(at, childPath(path, index), message);
  }
  return targets;
}
