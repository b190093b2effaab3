import { join } from "node:path";
import { sql } from "kysely";
import { type Backend, connect, withTables } from "../backend.ts";
import { SqliteWorkerDialect } from "./dialect.ts";
import { snapshotDialect } from "./snapshot.ts";
import { type SpawnWorker, spawnSqliteWorker } from "./supervised-worker.ts";

export interface SqliteLocation {
  readonly dataDir: string;
  readonly timeoutMs: number;
  /** Tests hand one in to get at the threads. */
  readonly spawn?: SpawnWorker;
}

export function openSqlite({ dataDir, timeoutMs, spawn = spawnSqliteWorker }: SqliteLocation): Backend {
  const settings = { path: join(dataDir, "turnpike.db"), timeoutMs, spawn };
  const bare = connect(new SqliteWorkerDialect(settings));
  const db = withTables(bare);
  return {
    kind: "sqlite",
    db,
    async ping() {
      // Counting the schema reads the file; a bare `select 1` would not.
      await db.selectFrom(sql`sqlite_master`.as("schema")).select(db.fn.countAll().as("tables")).execute();
    },
    withoutTimeLimit: (work) => work(bare),
    async snapshot(work) {
      const reading = connect(snapshotDialect(settings));
      try {
        return await withTables(reading).transaction().execute(work);
      } finally {
        await reading.destroy();
      }
    },
    close: () => bare.destroy(),
  };
}
