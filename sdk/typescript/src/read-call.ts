import type { Fields } from "./body/fields.ts";
import { invalid } from "./failure.ts";
import { METHODS, type Method } from "./functions.ts";

/** A call with every field checked. */
export interface Call {
  readonly method: Method;
  readonly parameters: Uint8Array | null;
  readonly parametersList: Uint8Array[];
  readonly hasDataset: boolean;
  readonly dataset: unknown;
  readonly runId: string | null;
  readonly round: number | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly deadlineMs: number | null;
  readonly weights: readonly number[] | null;
}

const wrongType = (path: string, what: string) => invalid("wrong_type", `${path} must be ${what}`, path);

/** Absent and null mean the same for everything that is optional. */
const given = (fields: Fields, name: string): unknown => fields.get(name) ?? null;

export function readCall(path: Method | "call", fields: Fields): Call {
  const method = path === "call" ? readMethod(fields) : path;
  const isAggregate = method === "aggregate";
  const parametersList = isAggregate ? readList(fields) : [];
  return {
    method,
    parameters: isAggregate ? null : readParameters(fields),
    parametersList,
    hasDataset: fields.has("dataset"),
    dataset: fields.get("dataset"),
    runId: readRunId(given(fields, "run_id")),
    round: readCount("round", given(fields, "round"), 0),
    config: readConfig(given(fields, "config")),
    deadlineMs: readCount("deadline_ms", given(fields, "deadline_ms"), 1),
    weights: isAggregate ? readWeights(given(fields, "weights"), parametersList.length) : null,
  };
}

function readMethod(fields: Fields): Method {
  if (!fields.has("method")) throw invalid("missing_field", "method is missing", "method");
  const method = METHODS.find((name) => name === fields.get("method"));
  if (method === undefined) throw wrongType("method", `one of ${METHODS.join(", ")}`);
  return method;
}

function readParameters(fields: Fields): Uint8Array | null {
  if (!fields.has("parameters")) throw invalid("missing_field", "parameters is missing", "parameters");
  const parameters = fields.get("parameters");
  if (parameters === null || parameters instanceof Uint8Array) return parameters;
  throw wrongType("parameters", "a base64 string or null");
}

function readList(fields: Fields): Uint8Array[] {
  if (!fields.has("parameters_list")) throw invalid("missing_field", "parameters_list is missing", "parameters_list");
  const list = fields.get("parameters_list");
  if (!Array.isArray(list) || !list.every((entry) => entry instanceof Uint8Array)) {
    throw wrongType("parameters_list", "an array of base64 strings");
  }
  if (list.length === 0) throw invalid("empty_list", "parameters_list is empty", "parameters_list");
  return list;
}

function readRunId(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  throw wrongType("run_id", "a string");
}

function readCount(path: string, value: unknown, least: number): number | null {
  if (value === null) return null;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw wrongType(path, `an integer of at least ${least}`);
}

function readConfig(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrongType("config", "an object");
}

function readWeights(value: unknown, length: number): readonly number[] | null {
  if (value === null) return null;
  const isWeight = (weight: unknown) => typeof weight === "number" && Number.isFinite(weight) && weight >= 0;
  const weights = Array.isArray(value) && value.every(isWeight) ? (value as number[]) : [];
  if (weights.length === length && weights.some((weight) => weight > 0)) return weights;
  throw wrongType("weights", "as many numbers as parameters_list has entries, none negative, not all zero");
}
