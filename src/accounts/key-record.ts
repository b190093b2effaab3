import { newId } from "../lib/ids.ts";
import { handleOf, lastFour } from "./key-format.ts";
import { NO_ROTATION } from "./key-rotation.ts";
import { NO_LIMITS } from "./no-limits.ts";
import type { ApiKey } from "./records.ts";

export interface NewKey {
  readonly key: string;
  readonly hash: string;
  readonly teamId: string;
  readonly name: string;
  readonly createdBy: number | null;
  readonly now: number;
}

/** A new key without limits. */
export const newKeyRecord = ({ key, hash, teamId, name, createdBy, now }: NewKey): ApiKey => ({
  id: newId(),
  teamId,
  name,
  hash,
  previousHash: null,
  previousUntil: null,
  handle: handleOf(key),
  last4: lastFour(key),
  status: "active",
  models: [],
  ...NO_LIMITS,
  ...NO_ROTATION,
  waivedSpend: 0n,
  waivedBudget: 0n,
  waivedWindowAt: null,
  modelLimits: {},
  furtherBudgets: [],
  aliases: {},
  budgetId: null,
  allowedIps: [],
  guardrails: [],
  tags: [],
  metadata: {},
  expiresAt: null,
  lastUsedAt: null,
  createdBy,
  createdAt: now,
  updatedAt: now,
});
