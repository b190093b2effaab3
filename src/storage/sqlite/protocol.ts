/** What the main thread and a SQLite worker say to each other. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * As the only parameter of a statement: it is run once for each row of a JSON list of lists of parameters. Its answer has
 * the places of those rows that changed nothing, as `unchanged`. Text crosses to another thread in one piece, and nothing
 * comes back for what went as it should.
 */
export class EachRow {
  constructor(readonly lists: string) {}
}

/** As the only parameter of a query: these, one after the other, up to the first that fails. */
export class InSequence {
  constructor(readonly statements: readonly Statement[]) {}
}

/** A statement of a sequence; with `each` it is run for the rows that were sent ahead. */
export interface Step extends Statement {
  readonly each?: boolean;
}

export type Row = Record<string, unknown>;

export interface SqliteFailure {
  /** `SQLITE_CONSTRAINT_UNIQUE` and the like; empty when the fault is not SQLite's. */
  readonly code: string;
  readonly message: string;
}

export type Outcome =
  | { readonly ok: true; readonly rows: Row[]; readonly affected: number }
  | { readonly ok: false; readonly failure: SqliteFailure };

/** `writer` owns the file and creates it; `reader` may only look. */
export interface OpenSettings {
  readonly path: string;
  readonly role: "writer" | "reader";
  readonly busyTimeoutMs: number;
}

export type Task =
  | { readonly kind: "open"; readonly settings: OpenSettings }
  /** Independent statements: each succeeds or fails for itself, all are on disk when the answer comes. */
  | { readonly kind: "run"; readonly statements: readonly Statement[] }
  /** One after the other, up to the first that fails; outcomes of those that were run. */
  | { readonly kind: "sequence"; readonly steps: readonly Step[] }
  /** The rows of a step of the sequence that comes next; not answered. By themselves, since a long text in a flat object crosses in a quarter of the time. */
  | { readonly kind: "rows"; readonly lists: string }
  | { readonly kind: "rollback" }
  | { readonly kind: "close" };

export type Request = Task & { readonly id: number };

export interface Reply {
  readonly id: number;
  readonly outcomes: readonly Outcome[];
}
