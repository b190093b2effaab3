import type { Place } from "./fault.ts";
import type { KeyStatus, KeyTable } from "./keys/key-table.ts";
import { reportUnknownKey } from "./keys/unknown-key.ts";
import { type NumberLimits, readBoolean, readChoice, readNumber, readText, readTexts } from "./read-value.ts";
import type { Scope } from "./scope.ts";
import { childPath, describe, type Entry, isNull, type Mapping, type Node } from "./tree.ts";

interface Field {
  readonly path: string;
  readonly node: Node;
}

/** The served settings of one part of the file, read by name. A key without a value counts as not set. */
export class Section {
  readonly #fields = new Map<string, Field>();
  /** Keys that another, unknown one seems to stand for; they are not reported as missing as well. */
  readonly #misspelled = new Set<string | null>();

  /** What the file says where the environment says otherwise: read all the same, for what is wrong with it. */
  readonly #overruled = new Map<string, Field>();

  constructor(readonly scope: Scope) {}

  /** Takes the keys of `node`; reports those that are unknown, and once those that have no effect yet. */
  add(node: Node | undefined, path: string, name: string, table: KeyTable): this {
    if (node === undefined || isNull(node)) return this;
    if (node.kind !== "map") {
      this.scope.report.fault(node.at, path, `expected a map of keys, found ${describe(node)}`);
      return this;
    }
    for (const [key, entry] of node.entries) {
      const keyPath = childPath(path, key);
      const status = statusOf(table, key, path);
      if (status === undefined) {
        this.#misspelled.add(reportUnknownKey(this.scope.report, entry.keyAt, keyPath, key, name, table));
      }
      warnUnserved(this.scope, entry, keyPath, name, key, table);
      if ((status !== "served" && status !== "checked") || isNull(entry.value)) continue;
      const earlier = this.#fields.get(key);
      if (earlier === undefined) this.#fields.set(key, { path: keyPath, node: entry.value });
      else this.scope.report.fault(entry.keyAt, keyPath, `is set under \`${earlier.path}\` too; keep one of them`);
    }
    return this;
  }

  /** Replaces a setting, as the environment does. */
  override(key: string, node: Node): void {
    const earlier = this.#fields.get(key);
    if (earlier !== undefined) this.#overruled.set(key, earlier);
    this.#fields.set(key, { path: key, node });
  }

  /** Reports a key that must be there and is not. */
  require(key: string, at: Place, path: string, hint = ""): void {
    if (this.#fields.has(key) || this.#misspelled.has(key)) return;
    this.scope.report.fault(at, path, `\`${key}\` is missing${hint}`);
  }

  field(key: string): Field | null {
    return this.#fields.get(key) ?? null;
  }

  text(key: string): string | null {
    return this.#read(key, (node, path, scope) => readText(scope, node, path));
  }

  number(key: string, limits?: NumberLimits): number | null {
    return this.#read(key, (node, path, scope) => readNumber(scope, node, path, limits));
  }

  boolean(key: string): boolean | null {
    return this.#read(key, (node, path, scope) => readBoolean(scope, node, path));
  }

  choice<const T extends string>(key: string, choices: readonly T[]): T | null {
    return this.#read(key, (node, path, scope) => readChoice(scope, node, path, choices));
  }

  texts(key: string): string[] | null {
    return this.#read(key, (node, path, scope) => readTexts(scope, node, path));
  }

  map(key: string): { readonly path: string; readonly node: Mapping } | null {
    return this.#read(key, (node, path, scope) => {
      if (node.kind === "map") return { path, node };
      scope.report.fault(node.at, path, `expected a map of keys, found ${describe(node)}`);
      return null;
    });
  }

  fault(key: string, message: string): void {
    this.#tell(key, (at, path) => this.scope.report.fault(at, path, message));
  }

  warn(key: string, message: string): void {
    this.#tell(key, (at, path) => this.scope.report.warn(at, path, message));
  }

  #read<T>(key: string, read: (node: Node, path: string, scope: Scope) => T | null): T | null {
    const field = this.#fields.get(key);
    if (field === undefined) return null;
    const overruled = this.#overruled.get(key);
    if (overruled !== undefined) {
      const report = this.scope.report.overruledBy(field.node.at.variable ?? field.path);
      read(overruled.node, overruled.path, { ...this.scope, report });
    }
    return read(field.node, field.path, this.scope);
  }

  #tell(key: string, tell: (at: Place, path: string) => void): void {
    const field = this.#fields.get(key);
    if (field !== undefined) tell(field.node.at, field.path);
  }
}

/** At the top level, `x-...` is a place for anchors that other parts repeat. */
function statusOf(table: KeyTable, key: string, path: string): KeyStatus | "ignored" | undefined {
  return path === "" && key.startsWith("x-") ? "ignored" : table.get(key);
}

/** Says of a key without an effect that it has none, and what to use instead where there is something. */
export function warnUnserved(
  scope: Scope,
  entry: Entry,
  path: string,
  section: string,
  key: string,
  table: KeyTable,
): void {
  const status = table.get(key);
  if (status === undefined || status === "served") return;
  const name = childPath(section, key);
  const advice = table.advice.get(key);
  if (status === "protecting" && asksForSomething(entry.value)) {
    scope.report.warnOnce(name, entry.keyAt, path, `\`${name}\` is not served here, and ${advice}`, true);
    return;
  }
  const guardrails = isCallbacks(key) ? textsIn(entry.value).filter((text) => GUARDRAIL_CALLBACKS.test(text)) : [];
  if (guardrails.length > 0) {
    const message = `\`${name}\` has guardrails (${guardrails.join(", ")}) that do not run, so more is let through than the file`;
    scope.report.warnOnce(name, entry.keyAt, path, `${message} says; docs/guardrails.md lists the equivalents`, true);
    return;
  }
  const instead = status === "protecting" || advice === undefined ? "" : `; ${advice}`;
  scope.report.warnOnce(`${name}, off`, entry.keyAt, path, `\`${name}\` is known but has no effect yet${instead}`);
}

const isCallbacks = (key: string): boolean => /(^|_)callbacks?$/.test(key);

/** Callbacks of LiteLLM that check or change what callers send, or limit how much they send. */
const GUARDRAIL_CALLBACKS =
  /presidio|secret|moderation|prompt_injection|lakera|banned_keywords|blocked_user|llamaguard|content_safety|rate_limiter/;

const textsIn = (node: Node): string[] =>
  node.kind === "list" ? node.items.flatMap(textsIn) : node.kind === "map" ? [] : [node.text.trim()];

/** Whether a protection is switched on at all: `enable_jwt_auth: false` and `ui_access_mode: all` protect nothing. */
function asksForSomething(node: Node): boolean {
  if (node.kind === "list") return node.items.length > 0;
  if (node.kind === "map") return node.entries.size > 0;
  return node.value !== null && !/^(?:false|no|off|all)$/i.test(node.text.trim());
}
