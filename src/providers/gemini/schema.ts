import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { ModelTraits } from "./model.ts";

type Schema = Record<string, unknown>;

/** A schema under the name of the field that takes it: JSON Schema as it is, or Google's own form of it. */
type EncodedSchema = { readonly json: Schema } | { readonly own: Schema };

/** References are followed in `$defs` alone; a schema that points elsewhere is written out in the older form. */
const POINTS_ELSEWHERE = /"\$ref":"(?!#\/\$defs\/)/;

export function encodeSchema(schema: Schema, traits: ModelTraits): EncodedSchema {
  if (!traits.takesJsonSchema || POINTS_ELSEWHERE.test(JSON.stringify(schema))) return { own: toOwnForm(schema) };
  const { $schema: _, ...rest } = schema;
  return { json: rest };
}

/** A writing-out of references can grow without bound, which a request of ours must not. */
const NODES_MAX = 5000;
const KEPT = [
  "title",
  "description",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
];
const FORMATS = new Set(["date-time", "enum", "float", "double", "int32", "int64"]);

/** Google's form: a part of OpenAPI 3.0, without references, with one type per value and `nullable`. */
export function toOwnForm(root: Schema): Schema {
  let nodes = 0;

  const convert = (given: unknown, open: readonly string[]): Schema => {
    const flat = flatten(given, open);
    return write(flat.schema, flat.open);
  };

  /** The schema without `$ref` and `allOf`; `open` are the references that it stands in. */
  function flatten(given: unknown, open: readonly string[]): { schema: Schema; open: readonly string[] } {
    nodes += 1;
    if (nodes > NODES_MAX) {
      throw new GatewayError("invalid_request", "A schema is too large once its references are written out.", {
        param: "tools",
      });
    }
    if (!isRecord(given)) return { schema: {}, open };
    const { $ref: pointer, allOf, ...own } = given;
    if (typeof pointer === "string") {
      // A schema inside itself cannot be written out: the inner one is any object.
      if (open.includes(pointer)) return { schema: { type: "object" }, open };
      return flatten({ ...resolve(root, pointer), ...own }, [...open, pointer]);
    }
    if (!Array.isArray(allOf)) return { schema: own, open };
    const parts = allOf.map((part) => flatten(part, open));
    const opened = new Set([...open, ...parts.flatMap((part) => part.open)]);
    return { schema: merge([...parts.map(({ schema }) => schema), own]), open: [...opened] };
  }

  function write(schema: Schema, open: readonly string[]): Schema {
    const out: Schema = {};
    for (const name of KEPT) if (schema[name] !== undefined) out[name] = schema[name];
    if (typeof schema.format === "string" && FORMATS.has(schema.format)) out.format = schema.format;
    const choices = schema.anyOf ?? schema.oneOf;
    const types = typesOf(schema).filter((type) => type !== "null");
    if (typesOf(schema).includes("null") || schema.nullable === true) out.nullable = true;
    if (Array.isArray(choices)) {
      const real = choices.filter((choice) => !isNullType(choice));
      if (real.length < choices.length) out.nullable = true;
      const written = real.map((choice) => convert(choice, open));
      return written.length === 1 ? { ...written[0], ...out } : { ...out, anyOf: written };
    }
    if (types.length > 1) return { ...out, anyOf: types.map((type) => write({ ...schema, type }, open)) };
    if (types[0] !== undefined) out.type = types[0].toUpperCase();
    const listed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (Array.isArray(listed)) {
      const allowed = listed.filter((value) => value !== null);
      if (allowed.length < listed.length) out.nullable = true;
      if (allowed.length > 0 && allowed.every((value) => typeof value === "string")) {
        return { ...out, type: "STRING", format: "enum", enum: allowed };
      }
      // Only texts can be listed; other values are told in words.
      if (allowed.length > 0) Object.assign(out, describedList(out, allowed));
    }
    if (out.type === "ARRAY") out.items = orText(convert(schema.items, open));
    if (isRecord(schema.properties) && Object.keys(schema.properties).length > 0) {
      const properties = Object.entries(schema.properties).map(([name, value]) => [name, convert(value, open)]);
      out.type = "OBJECT";
      out.properties = Object.fromEntries(properties);
      const known = new Set(Object.keys(schema.properties));
      const required = Array.isArray(schema.required) ? schema.required.filter((name) => known.has(name)) : [];
      if (required.length > 0) out.required = required;
    }
    return out;
  }

  return convert(root, []);
}

function describedList({ description, type }: Schema, allowed: readonly unknown[]): Schema {
  const words = `(one of ${allowed.map((value) => JSON.stringify(value)).join(", ")})`;
  const isNumber = allowed.every((value) => typeof value === "number");
  const isSwitch = allowed.every((value) => typeof value === "boolean");
  const told = type ?? (isNumber ? "NUMBER" : isSwitch ? "BOOLEAN" : undefined);
  return {
    description: typeof description === "string" ? `${description} ${words}` : words,
    ...(told === undefined ? {} : { type: told }),
  };
}

/** The type of an array's items has to be there. */
const orText = (schema: Schema): Schema => (Object.keys(schema).length === 0 ? { type: "STRING" } : schema);

const isNullType = (schema: unknown): boolean => isRecord(schema) && schema.type === "null";

function typesOf(schema: Schema): string[] {
  const given = Array.isArray(schema.type) ? schema.type : [schema.type];
  return given.filter((type) => typeof type === "string");
}

/** `allOf` has no counterpart: its parts become one. */
function merge(parts: readonly Schema[]): Schema {
  const properties = parts.map((part) => part.properties).filter(isRecord);
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  return {
    ...Object.assign({}, ...parts),
    ...(properties.length > 0 ? { properties: Object.assign({}, ...properties) } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** What `#/...` points at; nothing for a pointer that leads nowhere or out of the schema. */
function resolve(root: Schema, pointer: string): Schema {
  if (!pointer.startsWith("#")) return {};
  let at: unknown = root;
  for (const step of pointer.slice(1).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return isRecord(at) ? at : {};
}
