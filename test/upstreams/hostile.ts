import fc from "fast-check";

/** An answer with one of its values, at any depth, replaced by something else or left out. */
export function spoiled(answer: unknown): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.constantFrom(...placesIn(answer, [])), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)))
    .map(([place, value]) => replaced(answer, place, value));
}

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
