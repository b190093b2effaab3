import type { Fields } from "../fields.ts";

/** A valid text of each format that JSON Schema names and people use. */
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["date-time", "2024-01-01T00:00:00Z"],
  ["date", "2024-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "P1D"],
  ["email", "echo@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
]);

const LENGTH_MAX = 10_000;

/**
 * `preferred` is used where the schema leaves the text open. `pattern` is not looked at: the expression is the caller's,
 * and a bad one could keep the process busy for ever.
 */
export function textInstance(schema: Fields, preferred: string, variant: number): string {
  const format = FORMATS.get(schema.format);
  const min = Math.min(numberOr(schema.minLength, 0), LENGTH_MAX);
  const max = Math.max(numberOr(schema.maxLength, LENGTH_MAX), min);
  const base = format ?? preferred;
  const distinct = variant === 0 ? base : `${variant + 1}${base}`;
  const characters = Array.from(distinct);
  if (characters.length < min) return distinct + "a".repeat(min - characters.length);
  return characters.length > max ? characters.slice(0, max).join("") : distinct;
}

/** The number nearest to zero that the bounds allow; undefined when they allow none. */
export function numberInstance(schema: Fields, whole: boolean, variant: number): number | undefined {
  const step = stepOf(schema, whole);
  const low = lowest(schema, step);
  const high = highest(schema, step);
  if (low > high) return undefined;
  const nearest = Math.min(Math.max(0, low), high);
  const value = nearest + variant * (step ?? 1);
  return value <= high ? value : nearest;
}

function stepOf({ multipleOf }: Fields, whole: boolean): number | undefined {
  const multiple = numberOr(multipleOf, 0);
  if (multiple > 0) return whole && !Number.isInteger(multiple) ? 1 : multiple;
  return whole ? 1 : undefined;
}

function lowest({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Fields, step: number | undefined): number {
  const min = numberOr(minimum, -Infinity);
  const above = numberOr(exclusiveMinimum, -Infinity);
  if (step !== undefined) return Math.max(Math.ceil(min / step) * step, (Math.floor(above / step) + 1) * step);
  if (min > above) return min;
  const max = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity));
  return Number.isFinite(max) && Number.isFinite(above) ? (above + max) / 2 : above + 1;
}

function highest({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Fields, step: number | undefined): number {
  const max = numberOr(maximum, Infinity);
  const below = numberOr(exclusiveMaximum, Infinity);
  if (step !== undefined) return Math.min(Math.floor(max / step) * step, (Math.ceil(below / step) - 1) * step);
  if (max < below) return max;
  const min = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity));
  return Number.isFinite(min) && Number.isFinite(below) ? (min + below) / 2 : below - 1;
}

export function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}
