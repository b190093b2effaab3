import { graceSecondsOf } from "../../accounts/key-rotation.ts";
import type { FreshKey, SeenKey } from "../../accounts/keys.ts";
import type { ApiKeyRecord, FreshKeyRecord } from "../../contract/keys.ts";
import { shownWindow } from "../../contract/limits.ts";
import { formatUsd } from "../../contract/money.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { type KeySpending, type KeySpendingDeps, spendingOf } from "./key-spending.ts";

/** A key as its team sees it: field by field, so that no hash is ever shown by accident. */
const toRecord = (
  { key, organizationId, status }: SeenKey,
  { spend, spentInWindow, resetAt, further }: KeySpending,
  nowMs: number,
): ApiKeyRecord => ({
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
  budget:
    key.budget === null
      ? null
      : {
          limit: Number(key.budget),
          window: key.budgetWindow ?? "total",
          spent: Number(spentInWindow),
          resetAt: isoTimeOrNull(resetAt),
        },
  furtherBudgets: [...further],
  budgetWindow: shownWindow(key),
  spend: Number(spend),
  spendUsd: formatUsd(spend),
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
  autoRotate: key.rotationInterval !== null,
  rotationInterval: key.rotationInterval,
  rotationGraceSeconds: graceSecondsOf(key, nowMs),
  nextRotationAt: isoTimeOrNull(key.rotationAt),
  lastRotationAt: isoTimeOrNull(key.rotatedAt),
  rotationCount: key.rotationCount,
  newValueSince: isoTimeOrNull(key.unseenAt),
  previousValidUntil: (key.previousUntil ?? 0) > nowMs ? isoTimeOrNull(key.previousUntil) : null,
  createdAt: isoTime(key.createdAt),
});

export async function keyRecords(deps: KeySpendingDeps, seen: readonly SeenKey[]): Promise<ApiKeyRecord[]> {
  const spending = await spendingOf(deps, seen);
  return seen.map((one, at) => toRecord(one, spending[at] ?? NOTHING, deps.clock.nowMs()));
}

const NOTHING: KeySpending = { spend: 0n, spentInWindow: 0n, windowAt: 0, resetAt: null, zone: "UTC", further: [] };

export async function keyRecord(deps: KeySpendingDeps, seen: SeenKey): Promise<ApiKeyRecord> {
  const [spending] = await spendingOf(deps, [seen]);
  return toRecord(seen, spending ?? NOTHING, deps.clock.nowMs());
}

export const freshKeyRecord = async (deps: KeySpendingDeps, fresh: FreshKey): Promise<FreshKeyRecord> => ({
  ...(await keyRecord(deps, fresh)),
  token: fresh.secret,
  key: fresh.secret,
});

/** An answer with a key in it is kept by nobody on the way. */
export const NOT_STORED = { "cache-control": "no-store" };
