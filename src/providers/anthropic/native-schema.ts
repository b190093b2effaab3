import { isRecord, textOf } from "../../lib/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Limits that Anthropic's own format refuses. They move into the description, where the model still reads them. */
const LIMITS: ReadonlySet<string> = new Set(
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems".split(
    " ",
  ),
);
const FORMATS: ReadonlySet<unknown> = new Set(
  "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "),
);
const INEXPRESSIBLE =
  "patternProperties propertyNames dependentSchemas prefixItems not if minProperties maxProperties".split(" ");

/** The schema as Anthropic's own format takes it; null where it would have to mean something else. */
export function nativeSchema(schema: Schema): Schema | null {
  return isRecursive(schema) ? null : fit(schema);
}

function fit(schema: Schema): Schema | null {
  if (INEXPRESSIBLE.some((name) => name in schema)) return null;
  const fitted: Record<string, unknown> = {};
  const limits: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (LIMITS.has(name) || !isTaken(name, value)) {
      limits.push(`${name}: ${JSON.stringify(value)}`);
      continue;
    }
    const inner = fitKeyword(name, value);
    if (inner === null) return null;
    fitted[name === "oneOf" ? "anyOf" : name] = inner;
  }
  if (limits.length > 0)
    fitted.description = [textOf(schema.description), `(${limits.join(", ")})`].filter(Boolean).join(" ");
  return closed(fitted);
}

/** Lookaround, backreferences and word boundaries, as patterns for mail addresses have them. */
const HARD_PATTERN = /\(\?<?[=!]|\\[1-9bBk]/;

function isTaken(name: string, value: unknown): boolean {
  if (name === "format") return FORMATS.has(value);
  return name !== "pattern" || (typeof value === "string" && !HARD_PATTERN.test(value));
}

/** Every object has to be closed; one that is open by intent, such as a dictionary, cannot be told. */
function closed(schema: Record<string, unknown>): Schema | null {
  const isObject = schema.type === "object" || isRecord(schema.properties);
  if (!isObject) return schema;
  const isOpen = !isRecord(schema.properties) || (schema.additionalProperties ?? false) !== false;
  return isOpen ? null : { ...schema, additionalProperties: false };
}

function fitKeyword(name: string, value: unknown): unknown {
  if (name === "properties" || name === "$defs" || name === "definitions") {
    return isRecord(value) ? fitAll(Object.entries(value), Object.fromEntries) : null;
  }
  if (name === "anyOf" || name === "oneOf" || name === "allOf") {
    if (!Array.isArray(value) || (name === "allOf" && !isJoint(value))) return null;
    return fitAll([...value.entries()], (entries) => entries.map(([, item]) => item));
  }
  if (name === "items") return isRecord(value) ? fit(value) : null;
  return value ?? null;
}

/** Several closed objects exclude each other, and a reference is not taken there. */
const isJoint = (parts: readonly unknown[]): boolean =>
  parts.length === 1 && parts.every((part) => isRecord(part) && !("$ref" in part));

function fitAll<Key, Whole>(
  entries: readonly (readonly [Key, unknown])[],
  join: (entries: [Key, Schema][]) => Whole,
): Whole | null {
  const fitted: [Key, Schema][] = [];
  for (const [key, value] of entries) {
    const inner = isRecord(value) ? fit(value) : null;
    if (inner === null) return null;
    fitted.push([key, inner]);
  }
  return join(fitted);
}

const REFERENCE = /"\$ref":"#(?:\/(?:\$defs|definitions)\/([^"]+))?"/g;

/** Whether a definition leads back to itself, or to the whole. */
function isRecursive(schema: Schema): boolean {
  const definitions = new Map(Object.entries({ ...asRecord(schema.definitions), ...asRecord(schema.$defs) }));
  const leadsTo = (value: unknown) => [...JSON.stringify(value ?? null).matchAll(REFERENCE)].map((match) => match[1]);
  if (leadsTo(schema).includes(undefined)) return true;
  return [...definitions].some(([start, definition]) => {
    const seen = new Set<string | undefined>();
    const open = leadsTo(definition);
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === start) return true;
      if (!seen.has(name)) for (const next of leadsTo(definitions.get(name))) open.push(next);
      seen.add(name);
    }
    return false;
  });
}

const asRecord = (value: unknown): Schema => (isRecord(value) ? value : {});
