import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  SelectQueryNode,
} from "kysely";
import { InSequence, type Outcome, type Statement } from "./protocol.ts";
import { SqliteError } from "./sqlite-error.ts";
import type { SqliteThreads } from "./threads.ts";
import type { Writer, WriterTurn } from "./writer.ts";

type Success = Extract<Outcome, { readonly ok: true }>;

const WRITES: ReadonlySet<string> = new Set(["InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode"]);

/** Of those that are written out. The readers can write nothing: one that is taken for reading and writes is refused. */
const READS = /^\s*(?:select|with)\b(?![\s\S]*\b(?:insert into|delete from|update)\b)/;

/** Tables that grow with every call, or with every page of a file. */
const LARGE = /\b(?:usage_log|usage_quarters|usage_days|ledger_postings|passages)\b/;

const BEGIN: Statement = { sql: "begin immediate", parameters: [] };

/** Sends each query to the right worker; a transaction keeps the writer until it ends. */
export class SqliteConnection implements DatabaseConnection {
  #turn: WriterTurn | null = null;
  /** A transaction begins with its first statement, in one message. */
  #begun = false;
  #failed = false;

  constructor(
    private readonly writer: Writer,
    private readonly readers: Pick<SqliteThreads, "reader" | "bookReader">,
  ) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const [first] = query.parameters;
    if (first instanceof InSequence) return this.#runSequence<R>(first.statements);
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
    this.#begun = false;
    this.#failed = false;
  }

  async commit(): Promise<void> {
    if (this.#failed) {
      await this.rollback();
      throw new AbortedTransactionError();
    }
    if (this.#begun) failOn(await this.#sendInTurn([{ sql: "commit", parameters: [] }]));
    this.release();
  }

  async rollback(): Promise<void> {
    const turn = this.#turn;
    if (turn === null) return;
    try {
      if (this.#begun) await turn.link.rollback();
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

  /** The rows of all of them, and how many each has. */
  async #runSequence<R>(
    statements: readonly Statement[],
  ): Promise<QueryResult<R> & { readonly counts: readonly number[] }> {
    const done = failOn(await this.#sendInTurn(statements));
    return { rows: done.flatMap(({ rows }) => rows as R[]), counts: done.map(({ rows }) => rows.length) };
  }

  async #send({ sql, parameters, query }: CompiledQuery): Promise<Outcome> {
    const statement = { sql, parameters };
    if (this.#turn !== null) {
      const [outcome] = await this.#sendInTurn([statement]);
      if (outcome === undefined) throw new Error("the SQLite worker left a statement unanswered");
      return outcome;
    }
    if (SelectQueryNode.is(query) || READS.test(sql)) {
      const reader = LARGE.test(sql) ? this.readers.bookReader : this.readers.reader;
      return (await reader.link()).runOne(statement);
    }
    return WRITES.has(query.kind) ? this.writer.runGrouped(statement) : this.writer.runAlone(statement);
  }

  /** As in PostgreSQL, a failed statement spoils its transaction back to the last savepoint. */
  async #sendInTurn(statements: readonly Statement[]): Promise<readonly Outcome[]> {
    if (this.#turn === null) throw new Error("no transaction is open");
    if (statements[0]?.sql.startsWith("rollback to ")) this.#failed = false;
    if (this.#failed) throw new Error("the transaction has failed; it can only be rolled back");
    const begins = !this.#begun;
    this.#begun = true;
    const outcomes = await this.#turn.link.runSequence(begins ? [BEGIN, ...statements] : statements);
    if (outcomes.some(({ ok }) => !ok)) this.#failed = true;
    return begins && outcomes[0]?.ok ? outcomes.slice(1) : outcomes;
  }
}

function failOn(outcomes: readonly Outcome[]): readonly Success[] {
  return outcomes.map((outcome) => {
    if (!outcome.ok) throw new SqliteError(outcome.failure);
    return outcome;
  });
}
