import {
  type Dialect,
  type DialectAdapter,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { SqliteDriver, type SqliteSettings } from "./driver.ts";

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
  constructor(private readonly settings: SqliteSettings) {}

  createDriver(): SqliteDriver {
    return new SqliteDriver(this.settings);
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
