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

/**
 * A database that is away, of a later version, or not to be used by this user, is no fault of ours, and has no stack to show.
 * `address` is how its address was said.
 */
export function asStartError(thrown: unknown, address = "TURNPIKE_DATABASE_URL"): unknown {
  if (thrown instanceof LaterDatabaseError) return new StartError(thrown.message);
  if (stateOf(thrown) === FORBIDDEN) return new StartError(`${wordsOf(thrown)}. ${grantTo(address)}`);
  if (!isDatabaseAway(thrown)) return thrown;
  const { cause } = thrown;
  // A file has no address: its disk is full, read-only or away.
  if (cause instanceof SqliteError)
    return new StartError(`The database in the data folder cannot be used: ${cause.message}.`, "DB_TIMEOUT");
  const words = REFUSED.test(stateOf(cause))
    ? `The database lets nobody in: ${wordsOf(cause)}. Is ${address} right?`
    : `The database does not answer. Is it running, and is ${address} right?`;
  return new StartError(words, "DB_TIMEOUT");
}

/** Why the database refuses the connection, in its own words; null if it does not answer at all. */
export function refusalOf(thrown: unknown): string | null {
  const cause = isDatabaseAway(thrown) ? thrown.cause : thrown;
  return REFUSED.test(stateOf(cause)) ? wordsOf(cause) : null;
}

/** PostgreSQL's states: the user lacks a right; there is no such user or database, or the password is wrong. */
const FORBIDDEN = "42501";
const REFUSED = /^(?:28|3D)/;
const grantTo = (address: string): string =>
  `The user of ${address} has to be the owner of the database, or may make tables there: GRANT CREATE ON SCHEMA public TO that user.`;

const stateOf = (thrown: unknown): string => String((thrown as { code?: unknown } | null)?.code ?? "");
const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
