import type { ReferenceExpression, SelectQueryBuilder } from "kysely";
import type { Cursor, Slice } from "../../assistants/store.ts";

/**
 * One part of a list that is ordered by a column. What `before` asks for is read backwards and turned round, so that it is
 * what comes directly before.
 */
export async function cursorSlice<DB, TB extends keyof DB, Row, T>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: ReferenceExpression<DB, TB>,
  {
    order,
    limit,
    after,
    before,
  }: Omit<Cursor, "after" | "before"> & {
    readonly after: string | number | null;
    readonly before: string | number | null;
  },
  decode: (row: Row) => T,
): Promise<Slice<T>> {
  const backwards = before !== null && after === null;
  const ascending = (order === "asc") !== backwards;
  const past = order === "asc" ? ">" : "<";
  const short = order === "asc" ? "<" : ">";
  let found = query;
  if (after !== null) found = found.where(column, past, after as never);
  if (before !== null) found = found.where(column, short, before as never);
  const rows = await found
    .orderBy(column as never, ascending ? "asc" : "desc")
    .limit(limit + 1)
    .execute();
  const kept = rows.slice(0, limit).map((row) => decode(row as Row));
  return { rows: backwards ? kept.reverse() : kept, more: rows.length > limit };
}
