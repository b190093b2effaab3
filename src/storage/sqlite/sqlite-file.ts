import { Database, type Statement as Prepared, type SQLQueryBindings } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { makeCanonical } from "./canonical-row.ts";
import { enterWal } from "./enter-wal.ts";
import type { OpenSettings, Outcome, Row, Statement, Step } from "./protocol.ts";
import { StatementCache } from "./statement-cache.ts";

const STATEMENTS_MAX = 256;

/** One connection to the database file; lives inside a worker. */
export class SqliteFile {
  readonly #db: Database;
  readonly #statements: StatementCache;

  constructor(settings: OpenSettings) {
    // Password hashes lie in this folder: nobody but the owner may look into it.
    mkdirSync(dirname(settings.path), { recursive: true, mode: 0o700 });
    this.#db = new Database(settings.path, { create: true, readwrite: true, safeIntegers: true, strict: true });
    this.#db.run(`pragma busy_timeout = ${settings.busyTimeoutMs}`);
    this.#db.run("pragma synchronous = full");
    this.#db.run("pragma foreign_keys = on");
    if (settings.role === "reader") this.#db.run("pragma query_only = on");
    // The mode is a property of the file: the writer sets it for all.
    else enterWal(this.#db, settings.busyTimeoutMs);
    this.#statements = new StatementCache(this.#db, STATEMENTS_MAX);
  }

  /** More than one statement shares one commit, since the wait for the disk is most of a small write's cost. */
  run(statements: readonly Statement[]): Outcome[] {
    if (statements.length > 1) {
      const grouped = this.#runGrouped(statements);
      if (grouped !== null) return grouped;
    }
    return statements.map((statement) => this.#attempt(statement));
  }

  /** All or nothing is the transaction's business; what is refused ends it here. `lists` are the rows of the steps that have some. */
  runSequence(steps: readonly Step[], lists: readonly string[]): Outcome[] {
    const outcomes: Outcome[] = [];
    let at = 0;
    for (const step of steps) {
      const outcome = step.each ? this.#attemptEach(step.sql, lists[at++] ?? "") : this.#attempt(step);
      outcomes.push(outcome);
      if (!outcome.ok) break;
    }
    return outcomes;
  }

  rollback(): void {
    // SQLite ends the transaction by itself on a full disk and the like.
    if (this.#db.inTransaction) this.#db.run("rollback");
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  /**
   * Null when the group cannot be kept together; nothing of it is stored then. No savepoints: SQLite takes back
   * what a failed statement has done, and the others are not touched.
   */
  #runGrouped(statements: readonly Statement[]): Outcome[] | null {
    const begun = this.#attempt({ sql: "begin immediate", parameters: [] });
    // Whoever holds the file would make every single statement wait as long again.
    if (!begun.ok) return statements.map(() => begun);
    const outcomes: Outcome[] = [];
    for (const statement of statements) {
      outcomes.push(this.#attempt(statement));
      // A full disk and the like end the transaction, and with it what went before.
      if (!this.#db.inTransaction) return null;
    }
    if (this.#attempt({ sql: "commit", parameters: [] }).ok) return outcomes;
    this.rollback();
    return null;
  }

  #attempt(statement: Statement): Outcome {
    try {
      return this.#execute(statement);
    } catch (error) {
      return { ok: false, failure: failureOf(error) };
    }
  }

  #attemptEach(sql: string, lists: string): Outcome {
    try {
      return runEach(this.#statements.get(sql), JSON.parse(lists) as SQLQueryBindings[][]);
    } catch (error) {
      return { ok: false, failure: failureOf(error) };
    }
  }

  #execute({ sql, parameters }: Statement): Outcome {
    const prepared = this.#statements.get(sql);
    const bindings = parameters as SQLQueryBindings[];
    if (prepared.columnNames.length === 0) {
      return { ok: true, rows: [], affected: prepared.run(...bindings).changes };
    }
    const rows = prepared.all(...bindings) as Row[];
    // Names and types are read after the run: a changed schema makes SQLite prepare the statement anew.
    makeCanonical(rows, prepared.columnNames, prepared.declaredTypes);
    return { ok: true, rows, affected: rows.length };
  }
}

function runEach(prepared: Prepared, lists: readonly SQLQueryBindings[][]): Outcome {
  const rows: Row[] = [];
  for (let unchanged = 0; unchanged < lists.length; unchanged++) {
    // The list as one argument: 45 of them are copied twice on their way.
    if (prepared.run(lists[unchanged] as never).changes === 0) rows.push({ unchanged });
  }
  return { ok: true, rows, affected: lists.length - rows.length };
}

export function failureOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: "", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return { code, message: error.message };
}
