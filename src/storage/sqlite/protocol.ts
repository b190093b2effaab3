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
  /** One statement for each row of a JSON list. */
  | { readonly kind: "each"; readonly sql: string; readonly lists: string }
  | { readonly kind: "rollback" }
  | { readonly kind: "close" };

/** One flat object: a long text in it crosses to the worker in half the time that it takes in an object of an object. */
export type Request = Task & { readonly id: number };

export interface Reply {
  readonly id: number;
  readonly outcomes: readonly Outcome[];
}
