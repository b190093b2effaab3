import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Settings } from "typebox/system";
import { type FieldFault, GatewayError } from "../contract/errors.ts";
import { INSTEAD, type Instead } from "../contract/schema.ts";
import { isRecord } from "../lib/json.ts";
import { suggest } from "../lib/spelling/suggest.ts";
import { rejectConflictingFields, spellingsOf } from "./spellings.ts";

export type Place = "path" | "query" | "body";

/** Checks a value against a schema that is compiled once, and names every fault at once. */
export interface Reader {
  read(value: unknown): unknown;
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly message: string;
  readonly params: object;
}

/** Enough to mend a body in one go, and no more than a person reads. The library's own limit is eight. */
const FAULTS_MAX = 50;
Settings.Set({ maxErrors: FAULTS_MAX });

export function compileReader<S extends TSchema>(place: Place, schema: S): { read(value: unknown): Static<S> } {
  // Compiled when it is first asked for: hundreds of operations take 250 ms of a start, most of which nobody calls.
  let compiled: ReturnType<typeof Compile<S>> | null = null;
  const spellings = spellingsOf(schema);
  return {
    read(value) {
      compiled ??= Compile(schema);
      const validator = compiled;
      if (validator.Check(value)) {
        rejectConflictingFields(place, spellings, value);
        return value as Static<S>;
      }
      const faults = toFaults(place, schema, validator.Errors(value) as SchemaError[], value);
      throw new GatewayError("validation", faults[0]?.msg ?? "The input is not valid.", { faults });
    },
  };
}

function toFaults(place: Place, schema: TSchema, errors: readonly SchemaError[], value: unknown): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const error of leaves(onceEach(errors))) {
    const loc = [place, ...pointer(error.instancePath)];
    const missing = requiredProperties(error);
    const extra = extraProperties(error);
    if (missing)
      for (const name of missing)
        faults.push({
          loc: [...loc, name],
          msg: `Field required${misspelt(schema, error, value, name)}`,
          type: "missing",
        });
    else if (extra)
      for (const name of extra) {
        const shown = name.slice(0, NAME_CHARS_MAX);
        const instead = insteadOf(schema, error, name);
        faults.push({
          loc: [...loc, shown],
          msg: `There is no field ${JSON.stringify(shown)}${instead === null ? knownFields(schema, error) : `; ${instead}`}`,
          type: "extra_forbidden",
        });
      }
    else {
      const instead = error.keyword === "enum" ? insteadOf(schema, error, valueAt(value, error.instancePath)) : null;
      faults.push({ loc, msg: instead ?? sentence(error), type: faultType(error) });
    }
  }
  return faults.slice(0, FAULTS_MAX);
}

/**
 * A field that there is not is told of twice: by itself, and later with all others of the object that it stands in. That
 * later one is left out when there are too many faults; then each stands for itself.
 */
function onceEach(errors: readonly SchemaError[]): SchemaError[] {
  const told = new Set(errors.filter((error) => extraProperties(error)).map(({ instancePath }) => instancePath));
  return errors.flatMap((error) => {
    if (error.keyword !== "boolean" || !error.schemaPath.endsWith("/additionalProperties")) return [error];
    const slash = error.instancePath.lastIndexOf("/");
    const instancePath = error.instancePath.slice(0, slash);
    if (told.has(instancePath)) return [];
    const schemaPath = error.schemaPath.slice(0, -"/additionalProperties".length);
    const additionalProperties = [unescaped(error.instancePath.slice(slash + 1))];
    return [{ ...error, keyword: "additionalProperties", instancePath, schemaPath, params: { additionalProperties } }];
  });
}

/** Names the unknown field that is probably the missing one. */
function misspelt(schema: TSchema, { schemaPath, instancePath }: SchemaError, value: unknown, missing: string): string {
  const object = valueAt(value, instancePath);
  const at = valueAt(schema, schemaPath.slice(1));
  const known = isRecord(at) && isRecord(at.properties) ? at.properties : {};
  if (!isRecord(object)) return "";
  const nearest = suggest(
    missing,
    Object.keys(object)
      .filter((name) => !Object.hasOwn(known, name))
      .slice(0, 50),
  );
  return nearest === null ? "" : `; \`${nearest.slice(0, NAME_CHARS_MAX)}\` looks like a misspelling of it`;
}

/** What there is instead; a whole body has too many fields to name them. */
function knownFields(schema: TSchema, { schemaPath, instancePath }: SchemaError): string {
  if (instancePath === "") return "";
  const at = valueAt(schema, schemaPath.slice(1));
  const properties = isRecord(at) && isRecord(at.properties) ? Object.keys(at.properties) : [];
  return properties.length === 0 ? "" : `; there are ${properties.map((name) => JSON.stringify(name)).join(", ")}`;
}

/** What to use in place of something that others have; null where there is nothing to say of it. */
function insteadOf(schema: TSchema, { schemaPath }: SchemaError, found: unknown): string | null {
  const at = valueAt(schema, schemaPath.slice(1)) as { [INSTEAD]?: Instead } | null | undefined;
  return typeof found === "string" ? (at?.[INSTEAD]?.get(found.toLowerCase()) ?? null) : null;
}

const valueAt = (value: unknown, path: string): unknown =>
  pointer(path).reduce<unknown>(
    (inner, step) => (isRecord(inner) || Array.isArray(inner) ? Reflect.get(inner, step) : null),
    value,
  );

/**
 * A union reports each of its branches and then itself. Where a branch got further into the value than the union
 * itself, its faults tell more; otherwise the branches are folded into one fault that lists what is accepted.
 */
function leaves(errors: readonly SchemaError[]): SchemaError[] {
  const kept: SchemaError[] = [];
  for (const error of errors) {
    if (error.keyword !== "anyOf") {
      kept.push(error);
      continue;
    }
    const deeper = kept.filter((other) => other.instancePath.startsWith(`${error.instancePath}/`));
    const branches = kept.filter((other) => other.instancePath === error.instancePath);
    for (const other of branches) kept.splice(kept.indexOf(other), 1);
    if (deeper.length > 0) continue;
    kept.push(fold(error, branches));
  }
  return kept;
}

function fold(union: SchemaError, branches: readonly SchemaError[]): SchemaError {
  const narrower = branches.find((branch) => branch.keyword !== "type");
  if (narrower) return narrower;
  const accepted = branches.flatMap((branch) => typeNames(branch)).filter((name) => name !== "null");
  return { ...union, keyword: "type", params: { type: accepted }, message: `must be ${accepted.join(" or ")}` };
}

const typeNames = (error: SchemaError): string[] => {
  const type = "type" in error.params ? error.params.type : undefined;
  if (Array.isArray(type)) return type.map(String);
  return typeof type === "string" ? [type] : [];
};

function requiredProperties(error: SchemaError): readonly string[] | null {
  if (error.keyword !== "required" || !("requiredProperties" in error.params)) return null;
  return (error.params.requiredProperties as readonly string[]) ?? null;
}

/** A name that a caller made up is shown, but not at any length. */
const NAME_CHARS_MAX = 60;

function extraProperties(error: SchemaError): readonly string[] | null {
  if (error.keyword !== "additionalProperties" || !("additionalProperties" in error.params)) return null;
  return (error.params.additionalProperties as readonly string[]) ?? null;
}

function sentence(error: SchemaError): string {
  if (error.keyword === "enum" && "allowedValues" in error.params && Array.isArray(error.params.allowedValues)) {
    return `Input should be one of ${error.params.allowedValues.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  return `Input ${error.message.replace(/^must/, "should")}`;
}

/** Names in the manner of the validation bodies that clients of this interface know. */
const TYPE_FAULTS: Record<string, string> = {
  string: "string_type",
  integer: "int_type",
  number: "float_type",
  boolean: "bool_type",
  array: "list_type",
  object: "dict_type",
};

const KEYWORD_FAULTS: Record<string, string> = {
  enum: "enum",
  const: "literal_error",
  minLength: "string_too_short",
  maxLength: "string_too_long",
  pattern: "string_pattern_mismatch",
  minimum: "greater_than_equal",
  exclusiveMinimum: "greater_than",
  maximum: "less_than_equal",
  exclusiveMaximum: "less_than",
  minItems: "too_short",
  maxItems: "too_long",
  additionalProperties: "extra_forbidden",
};

function faultType(error: SchemaError): string {
  if (error.keyword !== "type") return KEYWORD_FAULTS[error.keyword] ?? "value_error";
  const names = typeNames(error).filter((name) => name !== "null");
  return (names.length === 1 && TYPE_FAULTS[names[0] ?? ""]) || "type_error";
}

/** `/messages/0/role` as the list that the contract's validation body has: numbers where they are indexes. */
function pointer(path: string): (string | number)[] {
  if (path === "") return [];
  return path
    .slice(1)
    .split("/")
    .map(unescaped)
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");
