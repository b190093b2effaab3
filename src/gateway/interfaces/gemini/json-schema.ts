import { isRecord } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";
import { listOf, normalizeNames } from "./field-names.ts";

/** Written as they are in both forms. */
const SAME = ["title", "description", "default", "pattern", "minimum", "maximum", "enum", "required"] as const;
/** Numbers that Google's clients may write as text, as their 64 bits want it. */
const COUNTS = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] as const;
/** Google's own words, which no JSON Schema has. */
const OWN_FORMATS: ReadonlySet<unknown> = new Set(["enum"]);

/** A schema of Google's form, a part of OpenAPI 3.0 with types in capitals, as JSON Schema. */
export function jsonSchema(given: unknown, place: string): Fields {
  const schema = normalizeNames(given, place);
  const out: Record<string, unknown> = {};
  const type = typeof schema.type === "string" && schema.type !== "TYPE_UNSPECIFIED" ? schema.type.toLowerCase() : null;
  if (type !== null) out.type = schema.nullable === true ? [type, "null"] : type;
  for (const name of SAME) if (schema[name] !== undefined) out[name] = schema[name];
  for (const name of COUNTS) if (schema[name] !== undefined) out[name] = Number(schema[name]);
  if (typeof schema.format === "string" && !OWN_FORMATS.has(schema.format)) out.format = schema.format;
  if (schema.nullable === true && Array.isArray(out.enum)) out.enum = [...out.enum, null];
  if (schema.example !== undefined) out.examples = [schema.example];
  if (schema.items !== undefined) out.items = jsonSchema(schema.items, `${place}.items`);
  if (isRecord(schema.properties)) out.properties = properties(schema.properties, schema.propertyOrdering, place);
  if (schema.anyOf !== undefined) {
    const choices = listOf(schema.anyOf).map((one) => jsonSchema(one, `${place}.any_of`));
    out.anyOf = schema.nullable === true && type === null ? [...choices, { type: "null" }] : choices;
  }
  for (const name of ["additionalProperties", "$defs", "defs", "$ref", "ref"] as const) {
    if (schema[name] !== undefined)
      out[name.startsWith("$") || name.startsWith("a") ? name : `$${name}`] = schema[name];
  }
  return out;
}

/** In the order that is asked for: models write them in the order of the schema. */
function properties(given: Fields, ordering: unknown, place: string): Fields {
  const first = listOf(ordering).filter((name) => typeof name === "string" && Object.hasOwn(given, name)) as string[];
  const names = new Set([...first, ...Object.keys(given)]);
  return Object.fromEntries(
    Array.from(names, (name) => [name, jsonSchema(given[name], `${place}.properties.${name}`)]),
  );
}
