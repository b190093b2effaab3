import type { SqliteFailure } from "./protocol.ts";

/** A fault that SQLite reported in its worker, rebuilt on this side. */
export class SqliteError extends Error {
  override readonly name = "SqliteError";
  readonly code: string;

  constructor(failure: SqliteFailure) {
    super(failure.message);
    this.code = failure.code;
  }
}

/** The worker ended before it answered; what it was doing may or may not be on disk. */
export class SqliteWorkerLost extends Error {
  override readonly name = "SqliteWorkerLost";
}

/** Another transaction kept the one writer for too long. */
export class SqliteWriterBusy extends Error {
  override readonly name = "SqliteWriterBusy";
}
