/** A part of a list, from one record to the next. */
export interface Cursor {
  readonly order: "asc" | "desc";
  readonly limit: number;
  readonly after: string | null;
  readonly before: string | null;
}

export interface Slice<T> {
  readonly rows: readonly T[];
  /** Whether the list goes on past the last row, in the direction in which it was asked for. */
  readonly more: boolean;
}

/** Whose records: those of a team, or of the master key, which has none. */
export interface Owner {
  readonly teamId: string | null;
}
