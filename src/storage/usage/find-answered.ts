import type { Kysely } from "kysely";
import type { LoggedCall, UsageScope } from "../../usage/store.ts";
import type { Tables } from "../tables.ts";
import { toLoggedCall } from "./log-rows.ts";
import { selectLog } from "./select-log.ts";

/** Of the newest calls as little is read as tells them apart: their rows are wide. */
export async function findAnswered(
  db: Kysely<Tables>,
  scope: UsageScope,
  upstreamIds: readonly string[],
  among: number,
): Promise<LoggedCall | null> {
  const newest = selectLog(db, scope)
    .select(["id", "at", "upstreamId"])
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(among);
  const found = db.selectFrom(newest.as("newest")).select("id").where("upstreamId", "in", upstreamIds);
  const row = await db
    .selectFrom("usageLog")
    .selectAll()
    .where("id", "=", found.orderBy("at", "desc").orderBy("id", "desc").limit(1))
    .executeTakeFirst();
  return row === undefined ? null : toLoggedCall(row);
}
