import { sql } from "kysely";
import { type Backend, connect, withTables } from "../backend.ts";
import { SqliteWorkerDialect } from "./dialect.ts";
import { snapshotDialect } from "./snapshot.ts";
import type { SqliteThreads } from "./threads.ts";

export function openSqlite(threads: SqliteThreads): Backend {
  const bare = connect(new SqliteWorkerDialect(threads));
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
      const reading = connect(snapshotDialect(threads));
      try {
        return await withTables(reading).transaction().execute(work);
      } finally {
        await reading.destroy();
      }
    },
    close: () => bare.destroy(),
  };
}
