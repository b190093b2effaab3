import fc from "fast-check";

/** An answer with one of its values, at any depth, replaced by something else or left out. */
export function spoiled(answer: unknown): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.constantFrom(...placesIn(answer, [])), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)))
    .map(([place, value]) => replaced(answer, place, value));
}

/** What JSON can hold and what trips code that makes text or a key of anything it is given. */
export const TRIPPING: readonly unknown[] = [{ toString: "" }, { toString: 1 }, "constructor", "__proto__"];

/** The value with each of its places in turn, itself among them, replaced by each of these. */
export const tripped = (value: unknown): unknown[] =>
  placesIn(value, []).flatMap((place) => TRIPPING.map((by) => replaced(value, place, by)));

/** The same of recorded failures, with their status; bodies that are no JSON are left out. */
export function trippedFailures(
  failures: Iterable<{ readonly status: number; readonly body: string }>,
): [status: number, body: string][] {
  return [...failures].flatMap(({ status, body }) => {
    try {
      return tripped(JSON.parse(body)).map((one): [number, string] => [status, JSON.stringify(one)]);
    } catch {
      return [];
    }
  });
}

/** For `fc.assert`: these run every time, before the hundred that are drawn. */
export const always = <T>(examples: readonly T[]): { examples: [T][]; numRuns: number } => ({
  examples: examples.map((one) => [one]),
  numRuns: examples.length + 100,
});

type Place = readonly (string | number)[];

function placesIn(value: unknown, place: Place): Place[] {
  if (typeof value !== "object" || value === null) return [place];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [place, ...inner.flatMap(([key, part]) => placesIn(part, [...place, key]))];
}

function replaced(value: unknown, [key, ...rest]: Place, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((part, index) => (index === key ? replaced(part, rest, by) : part));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, part]) => [name, name === key ? replaced(part, rest, by) : part]),
  );
}
