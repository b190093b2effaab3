import type { ApiKeyRecord } from "../../../../src/contract/keys.ts";
import { localInput } from "../../components/local-input.ts";
import { checkAmount, parseUsd, plainUsd } from "../../components/parse-usd.ts";

/** What the form of a key holds: everything as it is typed. */
export interface KeyValues extends Record<string, unknown> {
  name: string;
  teamId: string;
  models: string[];
  budget: string;
  budgetWindow: string;
  softBudget: string;
  rpmLimit: number | string;
  tpmLimit: number | string;
  parallelLimit: number | string;
  expiresAt: string;
  rotationInterval: string;
  /** In seconds; empty for the server's own choice. */
  rotationGrace: string;
  allowedIps: string[];
  tags: string[];
}

export const NEW_KEY: KeyValues = {
  name: "",
  teamId: "",
  models: [],
  budget: "",
  budgetWindow: "month",
  softBudget: "",
  rpmLimit: "",
  tpmLimit: "",
  parallelLimit: "",
  expiresAt: "",
  rotationInterval: "",
  rotationGrace: "",
  allowedIps: [],
  tags: [],
};

export const valuesOf = (key: ApiKeyRecord): KeyValues => ({
  name: key.name,
  teamId: key.teamId,
  models: [...key.models],
  budget: key.budget ? plainUsd(key.budget.limit) : "",
  budgetWindow: key.budgetWindow ?? "month",
  softBudget: key.softBudget === null ? "" : plainUsd(key.softBudget),
  rpmLimit: key.rpmLimit ?? "",
  tpmLimit: key.tpmLimit ?? "",
  parallelLimit: key.parallelLimit ?? "",
  expiresAt: key.expiresAt === null ? "" : localInput(key.expiresAt),
  rotationInterval: key.rotationInterval ?? "",
  rotationGrace: key.rotationGraceSeconds === null ? "" : String(key.rotationGraceSeconds),
  allowedIps: [...key.allowedIps],
  tags: [...key.tags],
});

/** What is sent; null empties a field. `before` is the key as it was: an end in the past stays only if nobody has touched it. */
export function bodyOf(values: KeyValues, before?: ApiKeyRecord): Record<string, unknown> {
  const budget = values.budget.trim() === "" ? null : parseUsd(values.budget);
  const softBudget = values.softBudget.trim() === "" ? null : parseUsd(values.softBudget);
  const expiresAt = values.expiresAt === "" ? null : new Date(values.expiresAt).toISOString();
  const interval = values.rotationInterval.trim();
  // What was never chosen goes on following the interval.
  const isSameGrace = values.rotationGrace === (before === undefined ? "" : valuesOf(before).rotationGrace);
  const isSameEnd = before !== undefined && values.expiresAt === valuesOf(before).expiresAt;
  return {
    name: values.name,
    ...(before === undefined ? { teamId: values.teamId } : {}),
    models: values.models,
    budget,
    budgetWindow: budget === null && softBudget === null ? null : values.budgetWindow,
    softBudget,
    rpmLimit: countOf(values.rpmLimit),
    tpmLimit: countOf(values.tpmLimit),
    parallelLimit: countOf(values.parallelLimit),
    ...(isSameEnd ? {} : { expiresAt }),
    autoRotate: interval !== "",
    rotationInterval: interval === "" ? null : interval,
    ...(interval === "" || isSameGrace
      ? {}
      : { rotationGraceSeconds: values.rotationGrace === "" ? null : Number(values.rotationGrace) }),
    allowedIps: values.allowedIps,
    tags: values.tags,
  };
}

const countOf = (value: number | string): number | null => (value === "" ? null : Number(value));

export const checkKey = {
  name: (name: string) => (name.trim() === "" ? "Give the key a name." : null),
  teamId: (teamId: string) => (teamId === "" ? "Choose the team that pays for its calls." : null),
  budget: checkAmount,
  softBudget: checkAmount,
  rotationInterval: (text: string) =>
    /^(\d{1,6}(m|h|d|w|mo))?$/.test(text.trim()) ? null : "A number and a unit, such as 12h, 30d, 4w or 3mo.",
};
