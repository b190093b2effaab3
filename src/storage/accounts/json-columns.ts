import type { Aliases, FurtherBudget, ModelLimits } from "../../accounts/records.ts";

/** A list or an object in its text column. */
export function encodeJson(
  value: readonly string[] | readonly FurtherBudget[] | Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify(value);
}

export function decodeStrings(text: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw new TypeError("a column does not hold a list of strings");
  }
  return value;
}

export function decodeObject(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError("a column does not hold an object");
  }
  return value as Readonly<Record<string, unknown>>;
}

/** Names of a caller's own, each with what it stands for. */
export function decodeAliases(text: string): Aliases {
  const value = decodeObject(text);
  if (!Object.values(value).every((item) => typeof item === "string")) {
    throw new TypeError("a column does not hold names for names");
  }
  return value as Aliases;
}

export function decodeFurtherBudgets(text: string): readonly FurtherBudget[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item?.limit === "number")) {
    throw new TypeError("a column does not hold a list of budgets");
  }
  return value;
}

export function decodeModelLimits(text: string): ModelLimits {
  const value = decodeObject(text);
  if (!Object.values(value).every((item) => typeof item === "object" && item !== null)) {
    throw new TypeError("a column does not hold limits of models");
  }
  return value as ModelLimits;
}
