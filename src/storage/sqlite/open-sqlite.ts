import { join } from "node:path";
import { sql } from "kysely";
import { type Backend, connect, withTables } from "../backend.ts";
import { SqliteWorkerDialect } from "./dialect.ts";
import { type SpawnWorker, spawnSqliteWorker } from "./supervised-worker.ts";

export interface SqliteLocation {
  readonly dataDir: string;
  readonly timeoutMs: number;
  /** Tests hand one in to get at the threads. */
  readonly spawn?: SpawnWorker;
}

export function openSqlite({ dataDir, timeoutMs, spawn = spawnSqliteWorker }: SqliteLocation): Backend {
  const bare = connect(new SqliteWorkerDialect({ path: join(dataDir, "turnpike.db"), timeoutMs, spawn }));
  const db = withTables(bare);
  return {
    kind: "sqlite",
    db,
    async ping() {
      // Counting the schema reads the file; a bare `select 1` would not.
      await db.selectFrom(sql`sqlite_master`.as("schema")).select(db.fn.countAll().as("tables")).execute();
    },
    withoutTimeLimit: (work) => work(bare),
    close: () => bare.destroy(),
  };
}
