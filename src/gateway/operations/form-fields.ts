import { plainName } from "../../lib/bracketed-name.ts";
import { ownField } from "../../lib/json.ts";
import type { FormField } from "../../providers/dialect.ts";
import type { Fields } from "../call/gateway.ts";

/**
 * The fields of a form as a provider gets them: the caller's in their order, as far as they were chosen and as guardrails
 * left them, then those that a deployment or a group that stands in brings.
 */
export function toFormFields(given: readonly FormField[], chosen: Fields): FormField[] {
  const names = new Set(given.map(([name]) => name));
  const plain = new Set(given.map(([name]) => plainName(name)));
  const kept = Array.from(names, (name) => partsOf(name, ownField(chosen, name))).flat();
  const added = Object.entries(chosen).filter(([name]) => !names.has(name) && !plain.has(plainName(name)));
  return [...kept, ...added.flatMap(([name, value]) => partsOf(name, value))];
}

function partsOf(name: string, value: unknown): FormField[] {
  // A list comes under a name that says so, in as many parts as it has.
  if (Array.isArray(value)) return value.flatMap((one) => partsOf(name.endsWith("[]") ? name : `${name}[]`, one));
  if (value === null || value === undefined) return [];
  return [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]];
}
