import type { TSchema } from "typebox";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly minLength?: number;
}

const TRUE = new Set(["true", "1", "yes", "on", "True"]);
const FALSE = new Set(["false", "0", "no", "off", "False"]);

/**
 * A query is text; the schema says what was meant. What cannot be read as that stays text, so that validation
 * names it. Parameters that the schema does not know are ignored; `team_id` is `teamId` where it has only that. An empty
 * value is none, since forms send each of their fields; but where the schema says `minLength: 0` it means something.
 */
export function coerceQuery(schema: TSchema, query: URLSearchParams | null): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (!query) return values;
  const { properties = {} } = schema as JsonSchema;
  for (const [name, property] of Object.entries(properties)) {
    const types = typesOf(property);
    const sent = query.has(name) ? name : snakeName(name);
    if (sent !== name && sent in properties) continue;
    if (types.has("array")) {
      const all = query.getAll(sent).filter((text) => text !== "");
      if (all.length > 0) values[name] = all;
      continue;
    }
    const text = query.get(sent);
    if (text || (text === "" && property.minLength === 0)) values[name] = coerce(text, types);
  }
  return values;
}

const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function coerce(text: string, types: ReadonlySet<string>): unknown {
  if (types.has("null") && text === "null") return null;
  if (types.has("boolean")) {
    if (TRUE.has(text)) return true;
    if (FALSE.has(text)) return false;
  }
  if ((types.has("integer") || types.has("number")) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text;
}

function typesOf(schema: JsonSchema): Set<string> {
  const types = new Set<string>();
  if (typeof schema.type === "string") types.add(schema.type);
  else for (const type of schema.type ?? []) types.add(type);
  for (const branch of schema.anyOf ?? []) for (const type of typesOf(branch)) types.add(type);
  return types;
}
