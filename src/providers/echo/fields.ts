import { badRequest } from "./failure.ts";

/**
 * Readers of one field of a request body. `find` answers undefined for a field that is absent or null (OpenAI treats
 * both alike), `get` refuses that; a value of the wrong kind is refused with the field's name as `param`.
 */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function findText(fields: Fields, name: string): string | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw badRequest(`'${name}' must be a string.`, name, "invalid_type");
}

export function getText(fields: Fields, name: string): string {
  const value = findText(fields, name);
  if (value === undefined)
    throw badRequest(`Missing required parameter: '${name}'.`, name, "missing_required_parameter");
  return value;
}

export function findFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw badRequest(`'${name}' must be a boolean.`, name, "invalid_type");
}

export function findObject(fields: Fields, name: string): Fields | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || isFields(value)) return value;
  throw badRequest(`'${name}' must be an object.`, name, "invalid_type");
}

export function findList(fields: Fields, name: string): readonly unknown[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw badRequest(`'${name}' must be a list.`, name, "invalid_type");
}

interface Range {
  readonly min: number;
  readonly max: number;
}

export function findNumber(fields: Fields, name: string, { min, max }: Range): number | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw badRequest(`'${name}' must be a number.`, name, "invalid_type");
  if (value >= min && value <= max) return value;
  throw badRequest(`'${name}' must be between ${min} and ${max}, not ${value}.`, name, "out_of_range");
}

export function findInteger(fields: Fields, name: string, range: Range): number | undefined {
  const value = findNumber(fields, name, range);
  if (value === undefined || Number.isInteger(value)) return value;
  throw badRequest(`'${name}' must be an integer.`, name, "invalid_type");
}

export function findOneOf<T extends string>(fields: Fields, name: string, options: readonly T[]): T | undefined {
  const value = findText(fields, name);
  if (value === undefined) return undefined;
  const option = options.find((candidate) => candidate === value);
  if (option !== undefined) return option;
  throw badRequest(`'${name}' must be one of ${options.join(", ")}, not '${value}'.`, name, "invalid_value");
}
