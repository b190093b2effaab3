import { GatewayError } from "../contract/errors.ts";
import { isPostgresOutage } from "./postgres/connection-loss.ts";
import { isSqliteOutage } from "./sqlite/sqlite-outage.ts";

const UNIQUE_CODES: ReadonlySet<string> = new Set([
  "23505",
  "SQLITE_CONSTRAINT_UNIQUE",
  "SQLITE_CONSTRAINT_PRIMARYKEY",
]);

/** What the callers of a store can act on; a fault in a statement of ours passes as it is. */
export function translateError(error: unknown): unknown {
  if (error instanceof GatewayError) return error;
  if (isSqliteOutage(error) || isPostgresOutage(error)) return databaseDown(error);
  if (isUniqueViolation(error)) {
    return new GatewayError("conflict", "A record with the same value exists already.", { cause: error });
  }
  return error;
}

export function databaseDown(cause: unknown): GatewayError {
  return new GatewayError("database", "The database does not answer; try again shortly.", { cause });
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && UNIQUE_CODES.has(error.code);
}
