import type { Fields } from "../fields.ts";
import { isFields } from "../fields.ts";
import { numberOr } from "./scalars.ts";

/** A JSON Schema that holds only where both hold, for the keywords that `instance.ts` knows. */
export function mergeSchemas(left: Fields, right: Fields): Fields {
  const merged: Record<string, unknown> = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    merged[keyword] = Object.hasOwn(left, keyword) ? mergeKeyword(keyword, left[keyword], value) : value;
  }
  return merged;
}

function mergeKeyword(keyword: string, left: unknown, right: unknown): unknown {
  switch (keyword) {
    case "required":
      return [...new Set([...asList(left), ...asList(right)])];
    case "properties":
    case "$defs":
    case "definitions":
      return mergeProperties(left, right);
    case "type":
    case "enum":
      return intersect(asList(left), asList(right));
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return Math.max(numberOr(left, -Infinity), numberOr(right, -Infinity));
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
      return Math.min(numberOr(left, Infinity), numberOr(right, Infinity));
    case "items":
      return { allOf: [left, right] };
    default:
      return right;
  }
}

function mergeProperties(left: unknown, right: unknown): Fields {
  if (!isFields(left) || !isFields(right)) return isFields(left) ? left : isFields(right) ? right : {};
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return Object.fromEntries(
    names.map((name) => {
      if (!Object.hasOwn(left, name)) return [name, right[name]];
      if (!Object.hasOwn(right, name)) return [name, left[name]];
      return [name, { allOf: [left[name], right[name]] }];
    }),
  );
}

/** "integer" is the narrower of the two number types. */
function intersect(left: readonly unknown[], right: readonly unknown[]): unknown[] {
  const both = left.filter((item) => right.some((other) => Bun.deepEquals(item, other)));
  if (both.length > 0) return both;
  const numeric = (list: readonly unknown[]) => list.includes("number") || list.includes("integer");
  return numeric(left) && numeric(right) ? ["integer"] : [];
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
