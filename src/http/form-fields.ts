import type { Static, TSchema } from "typebox";
import { GatewayError } from "../contract/errors.ts";
import { GATEWAY_FIELDS } from "../contract/params.ts";
import { parseJson } from "../lib/json.ts";
import { coerceQuery } from "./query.ts";
import { compileReader } from "./validate.ts";

type FormFields = readonly (readonly [name: string, value: string])[];

/**
 * Reads the fields of a form by a schema, as a body of JSON would be: numbers and flags are what they say, an empty value is
 * none. What steers the gateway may be JSON. Fields that the schema does not know stay text; none comes twice, but for those
 * that are called as lists are, with all that they have.
 */
export function compileForm<S extends TSchema>(schema: S): (fields: FormFields) => Static<S> & Record<string, unknown> {
  const reader = compileReader("body", schema);
  return (fields) => {
    refuseTwice(fields);
    const known = coerceQuery(
      schema,
      new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
    );
    const { properties = {} } = schema as { properties?: object };
    const unknown = fields.filter(([name]) => !Object.hasOwn(properties, name));
    const others = Array.from(
      Map.groupBy(unknown, ([name]) => name),
      ([name, all]) => [name, given(name, all)],
    );
    return reader.read({ ...Object.fromEntries(others), ...known }) as Static<S> & Record<string, unknown>;
  };
}

function refuseTwice(fields: FormFields): void {
  const seen = new Set<string>();
  for (const [name] of fields) {
    if (seen.has(name) && !name.endsWith("[]")) {
      const shown = name.slice(0, NAME_CHARS_MAX);
      const fault = { loc: ["body", shown], msg: "Field given more than once; send it once", type: "duplicate" };
      throw new GatewayError("validation", `${shown}: ${fault.msg}.`, { faults: [fault] });
    }
    seen.add(name);
  }
}

const NAME_CHARS_MAX = 60;

function given(name: string, all: FormFields): unknown {
  const values = all.map(([, value]) => value);
  if (name.endsWith("[]")) return values;
  const [value = ""] = values;
  if (!GATEWAY_FIELDS.has(name)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}
