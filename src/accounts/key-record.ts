import { newId } from "../lib/ids.ts";
import { handleOf, lastFour } from "./key-format.ts";
import { NO_ROTATION } from "./key-rotation.ts";
import { NO_LIMITS } from "./no-limits.ts";
import type { ApiKey } from "./records.ts";
import type { AccountStores } from "./store.ts";

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

/** More than people make; with more keys of the operator a name can be refused. */
const NAMES_MAX = 1_000;

/** `app`, then `app 2`: asked under the organization's lock. */
export async function numbered(tx: AccountStores, teamId: string, name: string): Promise<string> {
  const { rows } = await tx.keys.list({ teamIds: [teamId], search: name }, { page: 1, pageSize: NAMES_MAX });
  const taken = new Set(rows.map((key) => key.name));
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} ${count}`;
  return free;
}
