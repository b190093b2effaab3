import { ComponentSection } from "./component-pool.ts";

/** A JSON Schema, as far as one has to know it to find the schemas inside. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface Entry {
  readonly text: string;
  /** In how many places of the description it stands; what stands inside of a schema that is said once does so once. */
  uses: number;
  /** What it may be called, the shortest first. */
  readonly names: readonly [string, ...string[]];
  reference?: JsonSchema;
}

/** A reference takes about half as much: what is shorter stays where it is. */
const SHARED_CHARS_MIN = 80;
const MAPS = ["properties", "patternProperties"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
/** With the word that each adds to a name. */
const SINGLE = { items: "item", additionalProperties: "value", propertyNames: "name", not: "not" };

/**
 * Schemas that stand in several places of a description are said once and referred to. All are counted before the first is
 * written. Which are the same is told by their text: the declarations copy a schema to make it optional.
 */
export class SchemaPool {
  private readonly byText = new Map<string, Entry>();
  private readonly texts = new WeakMap<object, string>();
  private readonly section: ComponentSection;

  constructor(known: Readonly<Record<string, object>>) {
    this.section = new ComponentSection("schemas", known);
  }

  get schemas(): Readonly<Record<string, object>> {
    return this.section.parts;
  }

  /** `names` are what it is called where it is shared, the best first. */
  count(schema: JsonSchema, names: Entry["names"]): void {
    const text = this.textOf(schema);
    const known = this.byText.get(text);
    if (known) {
      known.uses++;
      return;
    }
    this.byText.set(text, { text, uses: 1, names });
    for (const { word, inner, isProperty } of insideOf(schema)) {
      const longer = [names[0] + word, (names.at(-1) ?? "") + word] as const;
      this.count(inner, word === "" ? names : isProperty ? [word, ...longer] : [...longer]);
    }
  }

  /** The schema as it stands in the description: a reference, or itself with references inside. */
  write(schema: JsonSchema): JsonSchema {
    const entry = this.byText.get(this.textOf(schema));
    if (entry === undefined || entry.uses < 2 || entry.text.length < SHARED_CHARS_MIN) return this.writeInside(schema);
    entry.reference ??= this.section.add(entry.names, () => this.writeInside(schema));
    return entry.reference;
  }

  private writeInside(schema: JsonSchema): JsonSchema {
    const written: Record<string, unknown> = { ...schema };
    // `true` and `false` are schemas too.
    const writeAny = (one: unknown): unknown => (isObject(one) ? this.write(one) : one);
    for (const key of MAPS) {
      const map = schema[key];
      if (isObject(map))
        written[key] = Object.fromEntries(Object.entries(map).map(([name, one]) => [name, writeAny(one)]));
    }
    for (const key of LISTS) {
      const list = schema[key];
      if (Array.isArray(list)) written[key] = list.map(writeAny);
    }
    for (const key of Object.keys(SINGLE)) if (key in schema) written[key] = writeAny(schema[key]);
    return written;
  }

  private textOf(schema: JsonSchema): string {
    const known = this.texts.get(schema) ?? JSON.stringify(schema);
    this.texts.set(schema, known);
    return known;
  }
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Inner {
  readonly inner: JsonSchema;
  /** What tells it apart from the one that holds it; nothing where it is the same thing in another form. */
  readonly word: string;
  /** A property is known by its name alone, an item only as that of its list. */
  readonly isProperty: boolean;
}

function insideOf(schema: JsonSchema): Inner[] {
  const found: Inner[] = [];
  const add = (inner: unknown, word: string, isProperty = false): void => {
    if (isObject(inner)) found.push({ inner, word: inPascalCase(word), isProperty });
  };
  const { properties, patternProperties } = schema;
  if (isObject(properties)) for (const [name, inner] of Object.entries(properties)) add(inner, name, true);
  if (isObject(patternProperties)) for (const inner of Object.values(patternProperties)) add(inner, "value");
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) for (const inner of list) add(inner, "");
  }
  for (const [key, word] of Object.entries(SINGLE)) add(schema[key], word);
  return found;
}

/** `chat_completions` as `ChatCompletions`. */
export const inPascalCase = (text: string): string =>
  (text.match(/[a-z0-9]+/gi) ?? []).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
