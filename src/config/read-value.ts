import { resolveScalar, type Scope } from "./scope.ts";
import { shown } from "./secrets.ts";
import { childPath, describe, type Node } from "./tree.ts";

/**
 * Each reader reports what does not fit and gives `null`. Messages name the kind of a value, and not the value, but for one that
 * has to come from a list.
 */

export function readText(scope: Scope, node: Node, path: string): string | null {
  if (node.kind === "scalar") {
    const resolved = resolveScalar(scope, node, path);
    if (resolved === null) return null;
    if (typeof resolved.value === "string" && resolved.value.trim() !== "") return resolved.value;
    if (typeof resolved.value === "number") return resolved.text;
    if (typeof resolved.value === "string") {
      scope.report.fault(node.at, path, "expected text, found none between the quotes");
      return null;
    }
  }
  const advice = node.kind === "scalar" ? "; put it in quotes if it is meant as text" : "";
  scope.report.fault(node.at, path, `expected text, found ${describe(node)}${advice}`);
  return null;
}

export interface NumberLimits {
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
  /** Such as `seconds`, for whoever writes `5s`. */
  readonly unit?: string;
}

/** Also takes `"10"` and `"1e-6"`: other YAML readers see text there, so files hold both forms. */
export function readNumber(scope: Scope, node: Node, path: string, limits: NumberLimits = {}): number | null {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, integer = false } = limits;
  const resolved = node.kind === "scalar" ? resolveScalar(scope, node, path) : node;
  if (resolved === null) return null;
  const value = resolved.kind === "scalar" ? numberOf(resolved.value) : null;
  if (value !== null && value >= min && value <= max && (!integer || Number.isInteger(value))) return value;
  // `.inf` and `.nan` are numbers to YAML.
  const isNumber = resolved.kind === "scalar" && (value !== null || typeof resolved.value === "number");
  const found = isNumber ? "" : `, found ${describe(resolved)}`;
  scope.report.fault(node.at, path, `expected ${allowed(limits, isNumber && (value === null || value > max))}${found}`);
  return null;
}

/** The greatest number of all is named only to who wrote a greater one. */
function allowed({ min = 0, max, integer, unit }: NumberLimits, isTooGreat: boolean): string {
  const kind = `a ${integer ? "whole " : ""}number`;
  const range =
    max === undefined && !isTooGreat ? `of ${min} or more` : `from ${min} to ${max ?? Number.MAX_SAFE_INTEGER}`;
  return unit === undefined ? `${kind} ${range}` : `${kind} ${range}, in ${unit}`;
}

/** `90_000` is a number to older YAML readers. */
function numberOf(value: unknown): number | null {
  const number =
    typeof value === "string" && value.trim() !== "" ? Number(value.replace(/(?<=\d)_(?=\d)/g, "")) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** `yes`, `on` and their opposites are booleans to older YAML readers, and text to newer ones. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "0"].map((word) => [word, false] as const),
]);

export function readBoolean(scope: Scope, node: Node, path: string): boolean | null {
  const resolved = node.kind === "scalar" ? resolveScalar(scope, node, path) : node;
  if (resolved === null) return null;
  if (resolved.kind === "scalar") {
    const value = BOOLEANS.get(resolved.text.trim().toLowerCase());
    if (value !== undefined) return value;
  }
  scope.report.fault(node.at, path, `expected true or false, found ${describe(resolved)}`);
  return null;
}

export function readChoice<const T extends string>(
  scope: Scope,
  node: Node,
  path: string,
  choices: readonly T[],
): T | null {
  const text = readText(scope, node, path);
  if (text === null) return null;
  const found = choices.find((choice) => choice === text.toLowerCase());
  if (found === undefined) {
    scope.report.fault(node.at, path, `expected one of ${choices.join(", ")}${foundIn(node, text)}`);
  }
  return found ?? null;
}

/** What was found, where it stands in the file as it is: a variable's value may be a secret that was put there by mistake. */
export function foundIn(node: Node, text: string): string {
  const written = node.kind === "list" ? node.items : [node];
  const isWritten = written.some((item) => item.kind === "scalar" && item.text === text && item.at.line !== null);
  return isWritten ? `, found \`${shown(text)}\`` : "";
}

/** A list of texts; one text stands for a list of one. */
export function readTexts(scope: Scope, node: Node, path: string): string[] | null {
  if (node.kind === "scalar") {
    const text = readText(scope, node, path);
    return text === null ? null : [text];
  }
  if (node.kind === "map") {
    scope.report.fault(node.at, path, `expected a list, found ${describe(node)}`);
    return null;
  }
  return node.items.map((item, index) => readText(scope, item, childPath(path, index))).filter((text) => text !== null);
}
