import type { ApiKey } from "./records.ts";

/** What the log shows of a change. Values and hashes of keys are never among it; of metadata only that it changed. */
const SHOWN = [
  "name",
  "status",
  "models",
  "budget",
  "softBudget",
  "budgetWindow",
  "budgetId",
  "rpmLimit",
  "tpmLimit",
  "parallelLimit",
  "modelLimits",
  "furtherBudgets",
  "aliases",
  "createdBy",
  "allowedIps",
  "guardrails",
  "tags",
  "expiresAt",
  "last4",
  "previousUntil",
  "rotationInterval",
  "rotationGraceSeconds",
  "rotationAt",
  "waivedSpend",
  "waivedBudget",
] as const satisfies readonly (keyof ApiKey)[];

/** Those of the changes that change something. */
export function differing(key: ApiKey, changes: Partial<ApiKey>): Partial<ApiKey> {
  const fields = Object.entries(changes).filter(([field, value]) => !Bun.deepEquals(key[field as keyof ApiKey], value));
  return Object.fromEntries(fields);
}

export function auditDetails(before: ApiKey, changes: Partial<ApiKey>): Record<string, unknown> {
  const shown = SHOWN.filter((field) => field in changes);
  const fields = shown.map((field) => [field, { from: plain(before[field]), to: plain(changes[field]) }] as const);
  const more = "metadata" in changes ? { metadata: "changed" } : {};
  return { name: before.name, changes: { ...Object.fromEntries(fields), ...more } };
}

/** JSON has no large integers; amounts stay below what a number holds exactly. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);
