import { type Dialect, PostgresDialect, sql } from "kysely";
import { type Backend, connect, withTables } from "../backend.ts";
import type { PostgresSettings } from "./pool.ts";

const CONNECTIONS_MAX = 10;

export interface PostgresLocation {
  readonly url: string;
  readonly timeoutMs: number;
}

export function openPostgres({ url, timeoutMs }: PostgresLocation): Backend {
  const bounded = { url, connectTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs, connectionsMax: CONNECTIONS_MAX };
  const bare = connect(dialect(bounded));
  return {
    kind: "postgres",
    db: withTables(bare),
    async ping() {
      await sql`select 1`.execute(bare);
    },
    async withoutTimeLimit(work) {
      const unhurried = connect(dialect({ ...bounded, statementTimeoutMs: null }));
      try {
        return await work(unhurried);
      } finally {
        await unhurried.destroy();
      }
    },
    async snapshot(work) {
      const unhurried = connect(dialect({ ...bounded, statementTimeoutMs: null, connectionsMax: 1 }));
      try {
        const reading = withTables(unhurried).transaction().setIsolationLevel("repeatable read");
        return await reading.setAccessMode("read only").execute(work);
      } finally {
        await unhurried.destroy();
      }
    },
    close: () => bare.destroy(),
  };
}

function dialect(settings: PostgresSettings): Dialect {
  // The driver is loaded with the first connection: a server over SQLite starts without it.
  return new PostgresDialect({ pool: async () => (await import("./pool.ts")).openPool(settings) });
}
