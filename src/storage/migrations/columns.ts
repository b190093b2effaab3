import { type ColumnDefinitionBuilder, type RawBuilder, sql } from "kysely";
import type { Backend } from "../backend.ts";

/** What the two databases spell differently; everything else is Kysely's schema builder. */
export interface Columns {
  readonly kind: Backend["kind"];
  /** An integer key that the database gives out, never twice. */
  identity(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  readonly bytes: RawBuilder<unknown>;
}

const SQLITE: Columns = {
  kind: "sqlite",
  identity: (column) => column.primaryKey().autoIncrement(),
  bytes: sql`blob`,
};

const POSTGRES: Columns = {
  kind: "postgres",
  identity: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
  bytes: sql`bytea`,
};

export function columnsFor(kind: Backend["kind"]): Columns {
  return kind === "sqlite" ? SQLITE : POSTGRES;
}
