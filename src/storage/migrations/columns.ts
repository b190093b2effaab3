import { type ColumnDefinitionBuilder, type RawBuilder, sql } from "kysely";
import type { Backend } from "../backend.ts";

/** What the two databases spell differently; everything else is Kysely's schema builder. */
export interface Columns {
  /** An integer key that the database gives out, never twice. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  readonly bytes: RawBuilder<unknown>;
}

const SQLITE: Columns = {
  identity: (column) => column.primaryKey().autoIncrement(),
  bytes: sql`blob`,
};

const POSTGRES: Columns = {
  identity: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
  bytes: sql`bytea`,
};

export function columnsFor(kind: Backend["kind"]): Columns {
  return kind === "sqlite" ? SQLITE : POSTGRES;
}
