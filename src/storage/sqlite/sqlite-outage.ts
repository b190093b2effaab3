import { SqliteError, SqliteWorkerLost, SqliteWriterBusy } from "./sqlite-error.ts";

/** Primary result codes that speak of the disk or of another holder of the file, not of the statement. */
const OUTAGES = ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY"];
/** What `mkdir` of the data folder says when the disk is not there. */
const FILE_CODES = ["EACCES", "EIO", "ENOENT", "ENOSPC", "ENOTDIR", "EPERM", "EROFS", "EEXIST"];

export function isSqliteOutage(error: unknown): boolean {
  if (error instanceof SqliteWorkerLost || error instanceof SqliteWriterBusy) return true;
  if (!(error instanceof SqliteError)) return false;
  // An extended code is the primary one and a suffix: SQLITE_IOERR_WRITE.
  return (
    OUTAGES.some((code) => error.code === code || error.code.startsWith(`${code}_`)) || FILE_CODES.includes(error.code)
  );
}
