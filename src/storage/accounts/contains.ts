import { type Expression, type SqlBool, sql } from "kysely";

/**
 * Whether the search is part of the column, whatever its case. The database folds both sides, so that they fold alike:
 * SQLite knows the case of ASCII only, PostgreSQL that of its locale.
 */
export function contains(column: string, search: string): Expression<SqlBool> {
  // A wildcard of the caller's would find what does not contain the search, at a cost of the caller's choice.
  const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
}
