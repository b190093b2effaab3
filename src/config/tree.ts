import type { Place } from "./fault.ts";
import { shown } from "./secrets.ts";

/** A configuration file as read: plain values that still know where they stand. */
export type Node = Scalar | List | Mapping;

export interface Scalar {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** As it is written, so that `model_name: 4.0` is not read as `4`. */
  readonly text: string;
  readonly at: Place;
}

export interface List {
  readonly kind: "list";
  readonly items: readonly Node[];
  readonly at: Place;
}

export interface Mapping {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, Entry>;
  readonly at: Place;
}

export interface Entry {
  readonly keyAt: Place;
  readonly value: Node;
}

export function isNull(node: Node): boolean {
  return node.kind === "scalar" && node.value === null;
}

/** What a node is, in a word for people: its value may be a secret. */
export function describe(node: Node): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "a map of keys";
  if (node.value === null) return "nothing";
  return { string: "text", number: "a number", boolean: "true or false" }[
    typeof node.value as "string" | "number" | "boolean"
  ];
}

export function childPath(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? shown(key) : `${path}.${shown(key)}`;
}
