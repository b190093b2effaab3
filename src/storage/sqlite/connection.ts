import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  SelectQueryNode,
} from "kysely";
import type { Outcome } from "./protocol.ts";
import { SqliteError } from "./sqlite-error.ts";
import type { SupervisedWorker } from "./supervised-worker.ts";
import type { Writer, WriterTurn } from "./writer.ts";

const WRITES: ReadonlySet<string> = new Set(["InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode"]);

/** Sends each query to the right worker; a transaction keeps the writer until it ends. */
export class SqliteConnection implements DatabaseConnection {
  #turn: WriterTurn | null = null;
  #failed = false;

  constructor(
    private readonly writer: Writer,
    private readonly reader: SupervisedWorker,
  ) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const outcome = await this.#send(query);
    if (!outcome.ok) throw new SqliteError(outcome.failure);
    const rows = outcome.rows as R[];
    return WRITES.has(query.query.kind) ? { rows, numAffectedRows: BigInt(outcome.affected) } : { rows };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  async begin(): Promise<void> {
    this.#turn = await this.writer.takeTurn();
    this.#failed = false;
    try {
      await this.#inTransaction("begin immediate");
    } catch (error) {
      this.release();
      throw error;
    }
  }

  async commit(): Promise<void> {
    if (this.#failed) {
      await this.rollback();
      throw new AbortedTransactionError();
    }
    await this.#inTransaction("commit");
    this.release();
  }

  async rollback(): Promise<void> {
    const turn = this.#turn;
    if (turn === null) return;
    try {
      await turn.link.rollback();
    } catch {
      // A connection in an unknown state is of no use to the next one; without it nothing is kept of the transaction.
      await turn.link.terminate();
    } finally {
      this.release();
    }
  }

  release(): void {
    this.#turn?.end();
    this.#turn = null;
  }

  async #inTransaction(sql: string): Promise<void> {
    const outcome = await this.#sendInTurn(sql, []);
    if (!outcome.ok) throw new SqliteError(outcome.failure);
  }

  async #send({ sql, parameters, query }: CompiledQuery): Promise<Outcome> {
    if (this.#turn !== null) return this.#sendInTurn(sql, parameters);
    const statement = { sql, parameters };
    if (SelectQueryNode.is(query)) return (await this.reader.link()).runOne(statement);
    return WRITES.has(query.kind) ? this.writer.runGrouped(statement) : this.writer.runAlone(statement);
  }

  /** As in PostgreSQL, a failed statement spoils its transaction back to the last savepoint. */
  async #sendInTurn(sql: string, parameters: readonly unknown[]): Promise<Outcome> {
    if (this.#turn === null) throw new Error("no transaction is open");
    if (sql.startsWith("rollback to ")) this.#failed = false;
    if (this.#failed) throw new Error("the transaction has failed; it can only be rolled back");
    const outcome = await this.#turn.link.runOne({ sql, parameters });
    if (!outcome.ok) this.#failed = true;
    return outcome;
  }
}
