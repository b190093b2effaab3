import { createHash } from "node:crypto";
import type { Mapping, Node } from "./tree.ts";

/** What was spent is known by the id: with another limit it must not begin at nothing. */
const LEFT_OUT: ReadonlySet<string> = new Set(["max_budget", "budget_duration"]);

/** Over the values as written: a reference counts, not the key behind it, so that a new key keeps the id. */
export function deploymentId(group: string, params: Mapping): string {
  const hash = createHash("sha256").update(group);
  for (const [key, { value }] of params.entries) {
    if (!LEFT_OUT.has(key)) hash.update(key).update(writtenText(value));
  }
  return hash.digest("hex");
}

function writtenText(node: Node): string {
  if (node.kind === "scalar") return node.text;
  if (node.kind === "list") return `[${node.items.map(writtenText).join(",")}]`;
  return `{${[...node.entries].map(([key, entry]) => `${key}:${writtenText(entry.value)}`).join(",")}}`;
}
