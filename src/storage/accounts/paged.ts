import type { SelectQueryBuilder, Simplify } from "kysely";
import type { Page, Paged } from "../../accounts/store.ts";

/** One page of what the query finds, in the query's order. */
export async function paged<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { page, pageSize }: Page,
): Promise<Paged<Simplify<Row>>> {
  const count = await query
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll().as("rows"))
    .$castTo<{ rows: bigint }>()
    .executeTakeFirstOrThrow();
  const total = Number(count.rows);
  const offset = (page - 1) * pageSize;
  // Not left to the database, to which the offset of a page far out is no number any more.
  if (offset >= total) return { rows: [], total };
  return { rows: await query.limit(pageSize).offset(offset).execute(), total };
}
