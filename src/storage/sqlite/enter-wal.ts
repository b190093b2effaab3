import type { Database } from "bun:sqlite";

const PAUSE_MS = 5;

/**
 * Switches a new file to the write-ahead log. SQLite waits here for a reader but not for a writer: two that open the
 * file at once would each wait for the other, so one is told "busy" at once. Blocks; runs in a worker.
 */
export function enterWal(db: Database, waitMs: number): void {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      db.run("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      Bun.sleepSync(PAUSE_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
