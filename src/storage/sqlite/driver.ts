import type { Driver } from "kysely";
import { SqliteConnection } from "./connection.ts";
import type { SqliteThreads } from "./threads.ts";
import { TurnQueue } from "./turn-queue.ts";
import { Writer } from "./writer.ts";

/** SQLite on threads of its own, so that no wait for the disk is a wait of the event loop. */
export class SqliteDriver implements Driver {
  readonly #writer: Writer;

  constructor(private readonly threads: SqliteThreads) {
    this.#writer = new Writer(threads.writer, new TurnQueue(threads.timeoutMs));
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#writer, this.threads);
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
    await this.threads.reader.close();
    await this.threads.bookReader.close();
    await this.threads.writer.close();
  }
}
