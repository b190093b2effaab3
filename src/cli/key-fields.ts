import type { ApiKeyRecord } from "../contract/keys.ts";
import { dollars } from "../contract/money.ts";
import { COMMAND } from "../lib/command-name.ts";
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
  Rotates: key.rotationInterval === null ? "by hand" : `every ${key.rotationInterval}, next at ${key.nextRotationAt}`,
  ...(key.newValueSince === null
    ? {}
    : { "New value": `waits since ${key.newValueSince}; \`${COMMAND} keys pick-up\` shows it` }),
  ...(key.previousValidUntil === null ? {} : { "Old value until": key.previousValidUntil }),
  Created: key.createdAt,
  "Last used": key.lastUsedAt,
  Expires: key.expiresAt,
});
