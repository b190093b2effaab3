import type { Place, Report } from "./fault.ts";
import { childPath, type Node, type Scalar } from "./tree.ts";

/** What reading a value needs: where to report, and which variables `os.environ/NAME` can name. */
export interface Scope {
  readonly report: Report;
  readonly variable: (name: string) => string | undefined;
}

const REFERENCE = "os.environ/";

/** Follows `os.environ/NAME`. `null` where the variable is not set, which `onUnset` has then been told. */
export function resolveScalar(
  scope: Scope,
  node: Scalar,
  path: string,
  onUnset: (at: Place, variable: string) => void = (at, variable) =>
    scope.report.fault(
      at,
      path,
      `${unsetMessage(variable)}; set it, list it under \`environment_variables\`, or remove this key`,
    ),
): Scalar | null {
  if (typeof node.value !== "string" || !node.value.startsWith(REFERENCE)) return node;
  const name = node.value.slice(REFERENCE.length);
  if (!/^[A-Za-z_][A-Za-z0-9_.]*$/.test(name)) {
    scope.report.fault(node.at, path, "`os.environ/` must be followed by the name of an environment variable");
    return null;
  }
  const value = scope.variable(name);
  if (value === undefined || value === "") {
    onUnset(node.at, name);
    return null;
  }
  return { ...node, value, text: value };
}

export function unsetMessage(variable: string): string {
  return `the environment variable ${variable} is not set, or is empty`;
}

/** A whole value without its positions, references followed; keys keep their order. */
export function plainValue(scope: Scope, node: Node, path: string): unknown {
  if (node.kind === "scalar") return resolveScalar(scope, node, path)?.value ?? null;
  if (node.kind === "list") return node.items.map((item, index) => plainValue(scope, item, childPath(path, index)));
  // `fromEntries` defines properties, so a key called `__proto__` stays a key.
  return Object.fromEntries(
    [...node.entries].map(([key, entry]) => [key, plainValue(scope, entry.value, childPath(path, key))]),
  );
}
