import {
  type Dialect,
  type DialectAdapter,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { SqliteDriver } from "./driver.ts";
import type { SqliteThreads } from "./threads.ts";

/** Kysely's own says no to both: no to transactional DDL, which SQLite has, and no to more than one connection. */
class WorkerSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export class SqliteWorkerDialect implements Dialect {
  constructor(private readonly threads: SqliteThreads) {}

  createDriver(): SqliteDriver {
    return new SqliteDriver(this.threads);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new WorkerSqliteAdapter();
  }

  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}
