import type { FreshKey, SeenKey } from "../../accounts/keys.ts";
import type { ApiKeyRecord, FreshKeyRecord } from "../../contract/keys.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";

/** A key as its team sees it: field by field, so that no hash is ever shown by accident. */
export const keyRecord = ({ key, organizationId, status }: SeenKey): ApiKeyRecord => ({
  id: key.id,
  name: key.name,
  token: key.handle,
  maskedToken: `sk-...${key.last4}`,
  team_id: key.teamId,
  teamId: key.teamId,
  organizationId,
  createdBy: key.createdBy,
  status,
  models: [...key.models],
  budget: key.budget === null ? null : { limit: Number(key.budget), window: key.budgetWindow ?? "total" },
  rpmLimit: key.rpmLimit,
  tpmLimit: key.tpmLimit,
  parallelLimit: key.parallelLimit,
  softBudget: key.softBudget === null ? null : Number(key.softBudget),
  modelLimits: { ...key.modelLimits },
  aliases: { ...key.aliases },
  allowedIps: [...key.allowedIps],
  guardrails: [...key.guardrails],
  tags: [...key.tags],
  metadata: { ...key.metadata },
  expiresAt: isoTimeOrNull(key.expiresAt),
  lastUsedAt: isoTimeOrNull(key.lastUsedAt),
  createdAt: isoTime(key.createdAt),
});

export const freshKeyRecord = (fresh: FreshKey): FreshKeyRecord => ({
  ...keyRecord(fresh),
  token: fresh.secret,
  key: fresh.secret,
});

/** An answer with a key in it is kept by nobody on the way. */
export const NOT_STORED = { "cache-control": "no-store" };
