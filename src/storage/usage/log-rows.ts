import type { Selectable } from "kysely";
import type { CallAttempt } from "../../contract/usage.ts";
import { readParts } from "../../contract/usage-row.ts";
import type { LoggedCall } from "../../usage/store.ts";
import { decodeObject, decodeStrings } from "../accounts/json-columns.ts";
import type { Tables } from "../tables.ts";

export function toLoggedCall(row: Selectable<Tables["usageLog"]>): LoggedCall {
  return {
    ...row,
    costParts: readParts(row.costParts),
    attempts: JSON.parse(row.attempts) as CallAttempt[],
    tags: decodeStrings(row.tags),
    metadata: decodeObject(row.metadata),
  };
}
