import type { ApiKeyRecord } from "../contract/keys.ts";
import { dollars } from "../contract/money.ts";
import { limitFields } from "./limit-flags.ts";

/** A key's settings as people read them. */
export const keyFields = (
  key: ApiKeyRecord,
  teams: ReadonlyMap<string, string>,
): Record<string, string | number | null> => ({
  Id: key.id,
  Name: key.name,
  Key: key.maskedToken,
  Status: key.status,
  Team: teams.has(key.teamId) ? `${teams.get(key.teamId)} (${key.teamId})` : key.teamId,
  Models: key.models.join(", ") || "all",
  Guardrails: key.guardrails.join(", ") || "none of its own",
  Spent: dollars(key.spend),
  ...limitFields(key),
  "Allowed from": key.allowedIps.join(", ") || "anywhere",
  Created: key.createdAt,
  "Last used": key.lastUsedAt,
  Expires: key.expiresAt,
});
