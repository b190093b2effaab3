import { type Kysely, sql } from "kysely";
import { QUARTER_MS } from "../../usage/rollup.ts";
import { columnList, isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { KEYS, SUMS } from "./fold-rollups.ts";
import { logBegins } from "./remove-before.ts";

/** What is summed in another way than by adding up the column of the same name. */
const OTHERWISE: Readonly<Record<string, string>> = {
  requests: "count(*)",
  cache_hits: "sum(case when cache_hit then 1 else 0 end)",
  first_byte_ms: "coalesce(sum(first_byte_ms), 0)",
  first_byte_calls: "count(first_byte_ms)",
};

/** The sums of an organization in a quarter, made anew of the log. False where the log does not have all of it any more. */
export function rebuildQuarter(db: Kysely<Tables>, organizationId: string, at: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const beginOf = await logBegins(tx, [organizationId]);
    if (beginOf(organizationId) > at) return false;
    // Calls that are settled meanwhile wait, so that none is counted twice.
    if (!isSqlite(tx)) await sql`lock table usage_quarters in share row exclusive mode`.execute(tx);
    await tx.deleteFrom("usageQuarters").where("organizationId", "=", organizationId).where("at", "=", at).execute();
    const sums = Object.keys(SUMS).map((name) => OTHERWISE[name] ?? `sum(${name})`);
    await sql`
      insert into usage_quarters (${sql.raw(columnList(KEYS))}, ${sql.raw(columnList(SUMS))}, last_at)
      select cast(${at} as bigint), coalesce(organization_id, ''), coalesce(team_id, ''), key_id, coalesce(user_id, 0),
        coalesce(model, ''), coalesce(provider, ''), operation, status, ${sql.raw(sums.join(", "))}, max(at)
      from usage_log where coalesce(organization_id, '') = ${organizationId}
        and usage_log.at >= ${at} and usage_log.at < ${at + QUARTER_MS}
      group by organization_id, team_id, key_id, user_id, model, provider, operation, status`.execute(tx);
    return true;
  });
}
