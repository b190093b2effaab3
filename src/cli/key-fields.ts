import type { ApiKeyRecord } from "../contract/keys.ts";
import { formatUsd } from "../contract/money.ts";

/** A key's settings as people read them. */
export const keyFields = (key: ApiKeyRecord): Record<string, string | number | null> => ({
  Id: key.id,
  Name: key.name,
  Key: key.maskedToken,
  Status: key.status,
  Team: key.teamId,
  Models: key.models.join(", ") || "all",
  Budget: key.budget === null ? null : `$${formatUsd(BigInt(key.budget.limit))} (${key.budget.window})`,
  "Requests a minute": key.rpmLimit,
  "Tokens a minute": key.tpmLimit,
  "Allowed from": key.allowedIps.join(", ") || "anywhere",
  Created: key.createdAt,
  "Last used": key.lastUsedAt,
  Expires: key.expiresAt,
});
