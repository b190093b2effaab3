import { type PackForm, readPackForm } from "../../../sdk/typescript/src/index.ts";
import { unknownFields } from "./plan-fields.ts";
import { type PlanWire, readWire } from "./plan-wire.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How updates come together in other ways than the usual one; what is absent is as usual. */
export interface PlanModes extends PlanWire {
  /** Participants that can are asked to pack their changes. */
  readonly compression?: PackForm;
  /** The parameters are bare floats of this shape; "info" where participants are asked for it. */
  readonly shape?: readonly number[] | "info";
  /** Nobody is waited for: a new model is made of every so many updates. */
  readonly asynchronous?: { readonly buffer: number };
  /** Updates that come after their round count in a later one, the less the later. */
  readonly foldLate?: true;
  /** How many times the median of the others an update or its examples may be; null: any. Absent: the default. */
  readonly outlierFactor?: number | null;
  /** An update that began from an older model than this many back does not count. */
  readonly stalenessLimit?: number;
}

const STALENESS_LIMIT = 10;
const BUFFER_MAX = 10;

export function readModes(plan: Fields, sample: number, faults: string[]): PlanModes {
  const asynchronous = oneOf(plan, "mode", ["synchronous", "asynchronous"], faults) === "asynchronous";
  const foldLate = oneOf(plan, "late", ["drop", "fold"], faults) === "fold";
  if (asynchronous && typeof plan.initial !== "string")
    faults.push("asynchronous rounds need a model to begin with (initial): changes are added up, not models");
  if (asynchronous && foldLate) faults.push("late updates are what asynchronous rounds are made of; leave late out");
  if (foldLate && plan.noise !== undefined)
    faults.push("noise and late updates exclude each other: who comes late would count twice in a round");
  const limit = count(plan, "staleness_limit", STALENESS_LIMIT, faults);
  const buffer = count(plan, "buffer", Math.max(1, Math.ceil(sample / 2)), faults);
  if (asynchronous && buffer > BUFFER_MAX * sample)
    faults.push(
      `buffer may be ${BUFFER_MAX * sample} at most, ${BUFFER_MAX} for each that is asked: all of them are kept`,
    );
  const compression = readCompression(plan.compression, faults);
  const shape = readShape(plan, faults);
  return {
    ...readWire(plan, faults),
    ...readOutlierFactor(plan.outlier_factor, faults),
    ...(compression === null ? {} : { compression }),
    ...(shape === null ? {} : { shape }),
    ...(asynchronous ? { asynchronous: { buffer } } : {}),
    ...(foldLate ? { foldLate } : {}),
    ...(asynchronous || foldLate ? { stalenessLimit: limit } : {}),
  };
}

function oneOf(plan: Fields, name: string, words: readonly [string, ...string[]], faults: string[]): string {
  const value = plan[name] ?? words[0];
  if (typeof value === "string" && words.includes(value)) return value;
  faults.push(`${name} is neither ${words.join(" nor ")}`);
  return words[0];
}

function count(plan: Fields, name: string, usual: number, faults: string[]): number {
  const value = plan[name] ?? usual;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  faults.push(`${name} is not a whole number of 1 or more`);
  return usual;
}

function readCompression(value: unknown, faults: string[]): PackForm | null {
  if (value === undefined || value === "none") return null;
  const fields = typeof value === "object" && value !== null ? (value as Fields) : {};
  faults.push(...unknownFields("compression", fields, "compression."));
  const { top_k: share } = fields;
  const form = readPackForm(share === undefined ? { form: value } : { form: "top_k", share });
  if (form === null) faults.push("compression is none of f16, int8 and { top_k: a share above 0 and up to 1 }");
  return form;
}

function readShape(plan: Fields, faults: string[]): readonly number[] | "info" | null {
  const { format, shape } = plan;
  if (format === undefined && shape === undefined) return null;
  if (format !== undefined && format !== "f32le") {
    faults.push("format is f32le, or left out: the other formats are known by their bytes");
    return null;
  }
  if (shape === undefined) return "info";
  const isShape = isShapeOf(shape);
  if (!isShape) faults.push("shape is not a list of one or more whole numbers above zero");
  return isShape ? shape : null;
}

function readOutlierFactor(value: unknown, problems: string[]): Pick<PlanModes, "outlierFactor"> {
  if (value === undefined) return {};
  if (value === "off" || value === false) return { outlierFactor: null };
  if (typeof value === "number" && value > 1) return { outlierFactor: value };
  problems.push("outlier_factor must be a number above 1, or off");
  return {};
}

export const isShapeOf = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((size) => Number.isSafeInteger(size) && size > 0);
