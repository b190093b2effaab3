import { ownField } from "../lib/json.ts";
import type { FormField } from "../providers/dialect.ts";
import type { Fields } from "./deps.ts";

/**
 * The fields of a form as a provider gets them: the caller's in their order, as far as they were chosen and as guardrails
 * left them, then those that a deployment or a group that stands in brings.
 */
export function sentFields(given: readonly FormField[], chosen: Fields): FormField[] {
  const times = Map.groupBy(given, ([name]) => name);
  const kept = given.flatMap(([name, value]): FormField[] => {
    const now = ownField(chosen, name);
    // A list comes under a name that says so, and may come in several parts.
    if (name.endsWith("[]") || (now !== undefined && times.get(name)?.length !== 1)) return [[name, value]];
    return now === undefined ? [] : partsOf(name, now);
  });
  const added = Object.entries(chosen).filter(([name]) => !times.has(name) && !times.has(`${name}[]`));
  return [...kept, ...added.flatMap(([name, value]) => partsOf(name, value))];
}

function partsOf(name: string, value: unknown): FormField[] {
  if (Array.isArray(value)) return value.flatMap((one) => partsOf(`${name}[]`, one));
  if (value === null || value === undefined) return [];
  return [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]];
}
