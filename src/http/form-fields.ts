import type { Static, TSchema } from "typebox";
import { GatewayError } from "../contract/errors.ts";
import { GATEWAY_FIELDS } from "../contract/params.ts";
import { plainName, readBrackets } from "../lib/bracketed-name.ts";
import { parseJson } from "../lib/json.ts";
import { type Bracketed, joinBracketed } from "./bracketed-fields.ts";
import { coerceQuery } from "./query.ts";
import { compileReader } from "./validate.ts";

type FormFields = readonly (readonly [name: string, value: string])[];

/**
 * Reads the fields of a form by a schema, as a body of JSON would be: numbers and flags are what they say, an empty value is
 * none. What steers the gateway may be JSON, or be in parts as official clients write them: `guardrails[]`, `metadata[tags][]`. Fields
 * that the schema does not know stay text, and what it has as one value is not taken in parts; none comes twice, but for those
 * that are called as lists are, with all that they have.
 */
export function compileForm<S extends TSchema>(schema: S): (fields: FormFields) => Static<S> & Record<string, unknown> {
  const reader = compileReader("body", schema);
  const { properties = {} } = schema as { properties?: object };
  return (fields) => {
    refuseTwice(fields);
    refuseParts(fields, properties);
    const known = coerceQuery(
      schema,
      new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
    );
    const others = unknownFields(fields.filter(([name]) => !Object.hasOwn(properties, name)));
    return reader.read({ ...others, ...known }) as Static<S> & Record<string, unknown>;
  };
}

function refuseTwice(fields: FormFields): void {
  const seen = new Set<string>();
  for (const [name] of fields) {
    if (seen.has(name) && !name.endsWith("[]")) {
      throw refusal(name.slice(0, NAME_CHARS_MAX), "Field given more than once; send it once", "duplicate");
    }
    seen.add(name);
  }
}

const NAME_CHARS_MAX = 60;

/** Under such a name a value would pass by what the schema says of it. */
function refuseParts(fields: FormFields, properties: object): void {
  for (const [name] of fields) {
    const field = plainName(name);
    const isPart = field !== name && !Object.hasOwn(properties, name) && Object.hasOwn(properties, field);
    if (isPart) throw refusal(field, `Not a list or an object; send it as \`${field}\`, in one part`, "form_field");
  }
}

function refusal(shown: string, msg: string, type: string): GatewayError {
  return new GatewayError("validation", `${shown}: ${msg}.`, { faults: [{ loc: ["body", shown], msg, type }] });
}

function unknownFields(fields: FormFields): Record<string, unknown> {
  const others = new Map<string, unknown>();
  const steering = new Map<string, Bracketed[]>();
  for (const [name, value] of fields) {
    const { field, steps } = readBrackets(name) ?? { field: name, steps: [] };
    if (GATEWAY_FIELDS.has(field)) steering.set(field, [...(steering.get(field) ?? []), { steps, value }]);
    else if (name.endsWith("[]")) others.set(name, [...((others.get(name) as string[] | undefined) ?? []), value]);
    else others.set(name, value);
  }
  for (const [field, parts] of steering) others.set(field, steers(field, parts));
  return Object.fromEntries(others);
}

function steers(field: string, parts: readonly Bracketed[]): unknown {
  const said = joinBracketed(field, parts);
  if (typeof said !== "string") return said;
  try {
    return parseJson(said);
  } catch {
    return said;
  }
}
