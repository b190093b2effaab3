import { type Kysely, sql } from "kysely";
import { DAY_MS, QUARTER_MS } from "../../usage/rollup.ts";
import { columnList, isSqlite, type JsonColumns } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { KEYS, OWNER_KEYS, OWNER_SUMS, SUMS } from "./fold-rollups.ts";
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
    await keepOthersOut(tx);
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

/**
 * The sums of an organization on a day, made anew of those by quarter. False where the log does not have all of it any more:
 * nothing tells then which of the two is right.
 */
export function rebuildDay(db: Kysely<Tables>, organizationId: string, at: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const beginOf = await logBegins(tx, [organizationId]);
    if (beginOf(organizationId) > at) return false;
    await keepOthersOut(tx);
    await tx.deleteFrom("usageDays").where("organizationId", "=", organizationId).where("at", "=", at).execute();
    const { at: _, ...others } = KEYS;
    const kinds = sql.raw(columnList(others));
    await sql`
      insert into usage_days (at, ${kinds}, ${sql.raw(columnList(SUMS))}, last_at)
      select cast(${at} as bigint), ${kinds}, ${sql.raw(summed(SUMS))}, max(last_at)
      from usage_quarters where organization_id = ${organizationId}
        and usage_quarters.at >= ${at} and usage_quarters.at < ${at + DAY_MS}
      group by ${kinds}`.execute(tx);
    return true;
  });
}

/** What everybody of an organization has spent ever, made anew of its days. */
export function rebuildTotals(db: Kysely<Tables>, organizationId: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    await keepOthersOut(tx);
    await tx.deleteFrom("usageTotals").where("organizationId", "=", organizationId).execute();
    const owners = sql.raw(columnList(OWNER_KEYS));
    await sql`
      insert into usage_totals (${owners}, ${sql.raw(columnList(OWNER_SUMS))}, last_at)
      select ${owners}, ${sql.raw(summed(OWNER_SUMS))}, max(last_at)
      from usage_days where organization_id = ${organizationId} group by ${owners}`.execute(tx);
  });
}

/** Calls that are settled meanwhile wait, so that none is counted twice: they add to the quarters first. */
async function keepOthersOut(tx: Kysely<Tables>): Promise<void> {
  if (!isSqlite(tx)) await sql`lock table usage_quarters in share row exclusive mode`.execute(tx);
}

const summed = (sums: JsonColumns): string =>
  Object.keys(sums)
    .map((name) => `sum(${name})`)
    .join(", ");
