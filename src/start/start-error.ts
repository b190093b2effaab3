import { isDatabaseAway } from "../contract/database-away.ts";
import { LaterDatabaseError } from "../storage/migrate.ts";
import { SqliteError } from "../storage/sqlite/sqlite-error.ts";

/** How a command ends that cannot do its work; the same codes as the client's. */
const ENDINGS = {
  START_ERROR: 1,
  USAGE_ERROR: 2,
  NOT_FOUND: 5,
  DB_TIMEOUT: 7,
} as const;

/** A command that cannot succeed: the message says why and what to do, without a stack. */
export class StartError extends Error {
  override readonly name = "StartError";

  constructor(
    message: string,
    readonly code: keyof typeof ENDINGS = "START_ERROR",
  ) {
    super(message);
  }

  get exit(): number {
    return ENDINGS[this.code];
  }
}

/** A database that is away, or of a later version, is no fault of ours, and has no stack to show. */
export function asStartError(thrown: unknown): unknown {
  if (thrown instanceof LaterDatabaseError) return new StartError(thrown.message);
  if (!isDatabaseAway(thrown)) return thrown;
  const { cause } = thrown;
  // A file has no address: its disk is full, read-only or away.
  const words =
    cause instanceof SqliteError
      ? `The database in the data folder cannot be used: ${cause.message}.`
      : "The database does not answer. Is it running, and is TURNPIKE_DATABASE_URL right?";
  return new StartError(words, "DB_TIMEOUT");
}
