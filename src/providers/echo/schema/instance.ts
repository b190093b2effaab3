import type { Fields } from "../fields.ts";
import { isFields } from "../fields.ts";
import { mergeSchemas } from "./merge.ts";
import { numberInstance, numberOr, textInstance } from "./scalars.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Schemas come from callers, so the work on one is bounded. */
const STEPS_MAX = 5_000;

/** Where in the schema tree the search stands. A minimal value never needs a `$ref` inside itself, so `open` ends recursion. */
interface Place {
  readonly open: ReadonlySet<string>;
  /** Which of several distinct values is wanted, for `uniqueItems`. */
  readonly variant: number;
}

/**
 * The smallest value that satisfies a JSON Schema, or undefined when none is found. The first string that the schema
 * leaves open takes `text`; of `anyOf` and `oneOf` the first option that has a finite value is taken.
 */
export function schemaInstance(schema: unknown, text = ""): Json | undefined {
  return new InstanceSearch(schema, text).build(schema, { open: new Set(["#"]), variant: 0 });
}

class InstanceSearch {
  private stepsLeft = STEPS_MAX;

  constructor(
    private readonly root: unknown,
    private text: string,
  ) {}

  build(schema: unknown, place: Place): Json | undefined {
    if (this.stepsLeft-- <= 0 || schema === false) return undefined;
    if (!isFields(schema)) return this.takeText({}, place);
    if (typeof schema.$ref === "string") return this.buildReference(schema, schema.$ref, place);
    if (Array.isArray(schema.allOf)) return this.build(this.mergeAll(schema, schema.allOf), place);
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const options = schema[keyword];
      if (Array.isArray(options)) return this.buildOption({ ...schema, [keyword]: undefined }, options, place);
    }
    if ("const" in schema) return schema.const as Json;
    if (Array.isArray(schema.enum)) return schema.enum[place.variant % schema.enum.length];
    return this.buildTyped(schema, place);
  }

  private buildReference(schema: Fields, pointer: string, place: Place): Json | undefined {
    if (place.open.has(pointer)) return undefined;
    const { $ref: _, ...beside } = schema;
    const target = resolvePointer(this.root, pointer);
    const whole = isFields(target) ? mergeSchemas(target, beside) : target;
    return this.build(whole, { ...place, open: new Set([...place.open, pointer]) });
  }

  private mergeAll(schema: Fields, parts: readonly unknown[]): Fields {
    const { allOf: _, ...base } = schema;
    return parts.filter(isFields).reduce<Fields>((merged, part) => {
      if (typeof part.$ref !== "string") return mergeSchemas(merged, part);
      const target = resolvePointer(this.root, part.$ref);
      return isFields(target) && target !== this.root ? mergeSchemas(merged, target) : merged;
    }, base);
  }

  private buildOption(base: Fields, options: readonly unknown[], place: Place): Json | undefined {
    const textBefore = this.text;
    for (const option of options) {
      const merged = isFields(option) ? mergeSchemas(stripUndefined(base), option) : option;
      const value = this.build(merged, place);
      if (value !== undefined) return value;
      this.text = textBefore;
    }
    return undefined;
  }

  private buildTyped(schema: Fields, place: Place): Json | undefined {
    switch (typeOf(schema)) {
      case "object":
        return this.buildObject(schema, place);
      case "array":
        return this.buildList(schema, place);
      case "integer":
        return numberInstance(schema, true, place.variant);
      case "number":
        return numberInstance(schema, false, place.variant);
      case "boolean":
        return place.variant % 2 === 1;
      case "null":
        return null;
      case "string":
        return this.takeText(schema, place);
      default:
        return undefined;
    }
  }

  /** The text is used once; a string with a format keeps to its format. */
  private takeText(schema: Fields, place: Place): string {
    const isFree = typeof schema.format !== "string" && typeof schema.pattern !== "string";
    const text = isFree ? this.text : "";
    if (isFree) this.text = "";
    return textInstance(schema, text, place.variant);
  }

  private buildObject(schema: Fields, place: Place): Json | undefined {
    const properties = isFields(schema.properties) ? schema.properties : {};
    const entries: [string, Json][] = [];
    for (const name of objectNames(schema, properties)) {
      const isNamed = Object.hasOwn(properties, name);
      const value = this.build(isNamed ? properties[name] : (schema.additionalProperties ?? true), place);
      if (value === undefined) return undefined;
      entries.push([name, value]);
    }
    return Object.fromEntries(entries);
  }

  private buildList(schema: Fields, place: Place): Json | undefined {
    const first: readonly unknown[] = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const length = Math.max(numberOr(schema.minItems, 0), 0);
    const items: Json[] = [];
    while (items.length < length) {
      const variant = schema.uniqueItems === true ? items.length : 0;
      const itemSchema = items.length < first.length ? first[items.length] : (schema.items ?? true);
      const value = this.build(itemSchema, { ...place, variant });
      if (value === undefined) return undefined;
      items.push(value);
    }
    return items;
  }
}

/** Required names in the order of `properties`, then as many optional ones as `minProperties` asks for. */
function objectNames(schema: Fields, properties: Fields): readonly string[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required.filter((n) => typeof n === "string") : []);
  const known = Object.keys(properties);
  const names = [...known.filter((name) => required.has(name)), ...[...required].filter((n) => !known.includes(n))];
  const wanted = Math.min(numberOr(schema.minProperties, 0), STEPS_MAX) - names.length;
  if (wanted <= 0) return names;
  const invented = Array.from({ length: wanted }, (_, at) => `property_${at + 1}`);
  const optional = [...known.filter((name) => !required.has(name)), ...invented];
  return [...names, ...optional.slice(0, wanted)];
}

/** Schemas often leave the type out where a keyword implies it. */
function typeOf(schema: Fields): unknown {
  if (Array.isArray(schema.type)) return schema.type[0];
  if (schema.type !== undefined) return schema.type;
  if ("properties" in schema || "required" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  if ("minimum" in schema || "maximum" in schema || "multipleOf" in schema) return "number";
  return "string";
}

/** Follows `#/a/b`; other documents are not loaded. */
function resolvePointer(root: unknown, pointer: string): unknown {
  if (!pointer.startsWith("#")) return false;
  const steps = pointer.split("/").slice(1);
  return steps.reduce<unknown>((node, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(node)) return node[Number(name)] ?? false;
    return isFields(node) && Object.hasOwn(node, name) ? node[name] : false;
  }, root);
}

function stripUndefined(schema: Fields): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
