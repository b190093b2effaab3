import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  DialectAdapter,
  Driver,
  Kysely,
  QueryCompiler,
  QueryResult,
  TransactionSettings,
} from "kysely";
import { GatewayError } from "../contract/errors.ts";
import { databaseDown, translateError } from "./translate-error.ts";

/** The one place where the errors of a database become ours: everything that Kysely does passes its driver. */
export class TranslatingDialect implements Dialect {
  constructor(private readonly inner: Dialect) {}

  createDriver(): Driver {
    return new TranslatingDriver(this.inner.createDriver());
  }

  createQueryCompiler(): QueryCompiler {
    return this.inner.createQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return this.inner.createAdapter();
  }

  createIntrospector(db: Kysely<unknown>) {
    return this.inner.createIntrospector(db);
  }
}

class TranslatingDriver implements Driver {
  constructor(private readonly inner: Driver) {}

  init(): Promise<void> {
    return this.inner.init();
  }

  async acquireConnection(): Promise<TranslatingConnection> {
    try {
      return new TranslatingConnection(await this.inner.acquireConnection());
    } catch (error) {
      // Whatever keeps us from a connection, a wrong password included, is for the operator and not the caller.
      throw error instanceof GatewayError ? error : databaseDown(error);
    }
  }

  beginTransaction(connection: TranslatingConnection, settings: TransactionSettings): Promise<void> {
    return translating(this.inner.beginTransaction(connection.inner, settings));
  }

  commitTransaction(connection: TranslatingConnection): Promise<void> {
    return translating(this.inner.commitTransaction(connection.inner));
  }

  rollbackTransaction(connection: TranslatingConnection): Promise<void> {
    return translating(this.inner.rollbackTransaction(connection.inner));
  }

  releaseConnection(connection: TranslatingConnection): Promise<void> {
    return this.inner.releaseConnection(connection.inner);
  }

  destroy(): Promise<void> {
    return this.inner.destroy();
  }
}

class TranslatingConnection implements DatabaseConnection {
  constructor(readonly inner: DatabaseConnection) {}

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return translating(this.inner.executeQuery<R>(query));
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    try {
      yield* this.inner.streamQuery<R>(query, chunkSize);
    } catch (error) {
      throw translateError(error);
    }
  }
}

async function translating<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translateError(error);
  }
}
