import { CompiledQuery, type Kysely, type QueryResult } from "kysely";
import { type DatabaseKind, isSqlite } from "./json-rows.ts";
import { InSequence } from "./sqlite/protocol.ts";
import type { Tables } from "./tables.ts";

/** Something to ask a database, in the words of either kind. */
export interface Question<Row> {
  compiled(kind: DatabaseKind): CompiledQuery<Row>;
}

interface Asked {
  readonly question: Question<unknown>;
  rows: readonly unknown[] | null;
}

/**
 * Statements of a transaction that do not wait for each other's answers, in their order. SQLite gets them in one message to its
 * thread: a message for each took longer than what they ask for. PostgreSQL gets one after the other.
 */
export class StatementBatch {
  #asked: Asked[] = [];

  /** Gives the rows once they are there. */
  add<Row>(question: Question<Row>): () => readonly Row[] {
    const asked: Asked = { question, rows: null };
    this.#asked.push(asked);
    return () => {
      if (asked.rows === null) throw new Error("the statements were not run yet");
      return asked.rows as readonly Row[];
    };
  }

  /** Runs what was added since the last time. */
  async run(tx: Kysely<Tables>): Promise<void> {
    const all = this.#asked;
    this.#asked = [];
    if (all.length === 0) return;
    if (!isSqlite(tx)) {
      for (const asked of all) asked.rows = (await tx.executeQuery(asked.question.compiled("postgres"))).rows;
      return;
    }
    const sequence = new InSequence(all.map(({ question }) => question.compiled("sqlite")));
    const { rows, counts } = (await tx.executeQuery(CompiledQuery.raw("", [sequence]))) as Answered;
    let at = 0;
    for (const [index, asked] of all.entries()) {
      const end = at + (counts[index] ?? 0);
      asked.rows = rows.slice(at, end);
      at = end;
    }
  }
}

/** The rows of all statements, and how many each has of them. */
type Answered = QueryResult<unknown> & { readonly counts: readonly number[] };
