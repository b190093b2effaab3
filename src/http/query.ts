import type { TSchema } from "typebox";
import { type FieldFault, GatewayError } from "../contract/errors.ts";
import { snakeName } from "./spellings.ts";

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
 * Of a list all count, in either spelling; what has one value and is given several is refused, since one would be passed over.
 */
export function coerceQuery(schema: TSchema, query: URLSearchParams | null): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (!query) return values;
  const { properties = {} } = schema as JsonSchema;
  const faults: FieldFault[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const types = typesOf(property);
    const snake = snakeName(name);
    const isAlone = snake === name || Object.hasOwn(properties, snake);
    const sent = isAlone ? query.getAll(name) : [...query.getAll(name), ...query.getAll(snake)];
    const texts = sent.filter((text) => text !== "" || (property.minLength === 0 && !types.has("array")));
    if (texts.length === 0) continue;
    if (types.has("array")) values[name] = texts;
    else {
      const [first, ...others] = texts.map((text) => coerce(text, types));
      if (others.some((other) => other !== first)) faults.push(severalOf(name));
      values[name] = first;
    }
  }
  if (faults.length > 0) throw new GatewayError("validation", SEVERAL, { faults });
  return values;
}

const SEVERAL = "Given more than once with different values; send it once";
const severalOf = (name: string): FieldFault => ({ loc: ["query", name], msg: SEVERAL, type: "duplicate" });

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
