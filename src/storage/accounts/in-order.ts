import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Sorting } from "../../contract/sorting.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";

const TEXTS: ReadonlySet<string> = new Set(["name", "email"]);
/** The others are left as an index has them. */
const MAY_BE_NULL: ReadonlySet<string> = new Set(["lastUsedAt", "lastLoginAt", "expiresAt", "redeemedAt"]);

/**
 * A list in the order that is asked for; ids break ties, and what has no value comes last whichever way it goes. Names go
 * by letter whatever their case, the same in both databases: ASCII first, since SQLite knows the case of no other.
 */
export function inOrder<DB, TB extends keyof DB, Row>(
  db: Kysely<Tables>,
  query: SelectQueryBuilder<DB, TB, Row>,
  { by, direction }: Sorting<string>,
): SelectQueryBuilder<DB, TB, Row> {
  const column = sql.ref(by);
  const folded = isSqlite(db) ? sql`lower(${column})` : sql`lower(${column} collate "C")`;
  return query
    .orderBy(TEXTS.has(by) ? folded : column, (order) => {
      const turned = direction === "desc" ? order.desc() : order.asc();
      return MAY_BE_NULL.has(by) ? turned.nullsLast() : turned;
    })
    .orderBy(sql.ref("id"), direction);
}
