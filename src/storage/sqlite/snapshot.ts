import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { SqliteError } from "./sqlite-error.ts";
import { SupervisedWorker } from "./supervised-worker.ts";
import type { SqliteThreads } from "./threads.ts";

type SnapshotSettings = Pick<SqliteThreads, "path" | "timeoutMs" | "spawn">;

/**
 * A thread of its own that only reads. Its transaction sees the file as it was when it began, for as long as it takes, and
 * neither the writer nor the reader of everybody else waits for it.
 */
class SnapshotDriver implements Driver {
  readonly #worker: SupervisedWorker;

  constructor({ path, timeoutMs, spawn }: SnapshotSettings) {
    this.#worker = new SupervisedWorker({ path, role: "reader", busyTimeoutMs: timeoutMs }, spawn);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SnapshotConnection> {
    return new SnapshotConnection(this.#worker);
  }

  beginTransaction(connection: SnapshotConnection): Promise<void> {
    return connection.run("begin");
  }

  commitTransaction(connection: SnapshotConnection): Promise<void> {
    return connection.run("commit");
  }

  async rollbackTransaction(): Promise<void> {
    await (await this.#worker.link()).rollback();
  }

  async releaseConnection(): Promise<void> {}

  destroy(): Promise<void> {
    return this.#worker.close();
  }
}

class SnapshotConnection implements DatabaseConnection {
  constructor(private readonly worker: SupervisedWorker) {}

  async executeQuery<R>({ sql, parameters }: Pick<CompiledQuery, "sql" | "parameters">): Promise<QueryResult<R>> {
    const outcome = await (await this.worker.link()).runOne({ sql, parameters });
    if (!outcome.ok) throw new SqliteError(outcome.failure);
    return { rows: outcome.rows as R[] };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  async run(sql: string): Promise<void> {
    await this.executeQuery({ sql, parameters: [] });
  }
}

export const snapshotDialect = (settings: SnapshotSettings): Dialect => ({
  createDriver: () => new SnapshotDriver(settings),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
});
