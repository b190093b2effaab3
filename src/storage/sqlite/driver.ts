import type { Driver } from "kysely";
import { SqliteConnection } from "./connection.ts";
import { type SpawnWorker, SupervisedWorker } from "./supervised-worker.ts";
import { TurnQueue } from "./turn-queue.ts";
import { Writer } from "./writer.ts";

export interface SqliteSettings {
  readonly path: string;
  /** How long to wait for the writer, and for other programs that hold the file. */
  readonly timeoutMs: number;
  readonly spawn: SpawnWorker;
}

/** SQLite on two threads of its own, so that no wait for the disk is a wait of the event loop. */
export class SqliteDriver implements Driver {
  readonly #writing: SupervisedWorker;
  readonly #reader: SupervisedWorker;
  readonly #writer: Writer;

  constructor({ path, timeoutMs, spawn }: SqliteSettings) {
    this.#writing = new SupervisedWorker({ path, role: "writer", busyTimeoutMs: timeoutMs }, spawn);
    this.#reader = new SupervisedWorker({ path, role: "reader", busyTimeoutMs: timeoutMs }, spawn);
    this.#writer = new Writer(this.#writing, new TurnQueue(timeoutMs));
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#writer, this.#reader);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.release();
  }

  /** The writer closes last: the last one to leave folds the write-ahead log into the file. */
  async destroy(): Promise<void> {
    await this.#reader.close();
    await this.#writing.close();
  }
}
