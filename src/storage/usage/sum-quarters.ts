import { type Kysely, sql } from "kysely";
import type { TimeRange } from "../../usage/buckets.ts";
import { SUMS } from "../../usage/rollup.ts";
import {
  DIMENSIONS,
  type Dimension,
  type SumFilter,
  type UsageGroup,
  type UsageScope,
  type UsageTotals,
} from "../../usage/store.ts";
import { jsonRows } from "../json-rows.ts";
import type { Tables } from "../tables.ts";

const BUCKET_COLUMNS = { bucket_start: "bigint", bucket_end: "bigint" } as const;
const FAILED = ["rejected", "failed", "partial", "aborted"];

/** The buckets come as rows, so that the database folds quarters into the days of any zone and hands over the days alone. */
export async function sumQuarters(
  db: Kysely<Tables>,
  filter: SumFilter,
  buckets: readonly TimeRange[],
  by: readonly Dimension[],
): Promise<readonly UsageGroup[]> {
  if (buckets.length === 0) return [];
  const rows = buckets.map(({ start, end }) => ({ bucket_start: start, bucket_end: end }));
  const wanted = DIMENSIONS.filter((dimension) => by.includes(dimension));
  const found = await selectQuarters(db, filter)
    .innerJoin(
      sql<{ bucketStart: bigint; bucketEnd: bigint }>`(select * from ${jsonRows(db, BUCKET_COLUMNS, rows)})`.as("b"),
      (join) => join.onRef("at", ">=", sql.ref("b.bucketStart")).onRef("at", "<", sql.ref("b.bucketEnd")),
    )
    .select(sql<bigint>`${sql.ref("b.bucketStart")}`.as("bucketStart"))
    .select(wanted)
    .select(({ fn }) => SUMS.map((name) => fn.sum<bigint>(name).as(name)))
    .select(sql<bigint>`sum(case when status in (${sql.join(FAILED)}) then requests else 0 end)`.as("failed"))
    .groupBy(sql`${sql.ref("b.bucketStart")}`)
    .groupBy(wanted)
    .orderBy("bucketStart")
    .execute();
  return found.map((row) => toGroup(row as Readonly<Record<string, unknown>>, wanted));
}

/** Calls without a team or a model have an empty one there; nobody's is user 0. */
export function selectQuarters(db: Kysely<Tables>, filter: SumFilter) {
  const { organizationId, teamIds, keyId, userId, model, provider, operation, statuses } = filter;
  let found = db.selectFrom("usageQuarters");
  if (organizationId !== undefined) found = found.where("organizationId", "=", organizationId);
  if (teamIds !== undefined) found = found.where("teamId", "in", nonEmpty(teamIds));
  if (keyId !== undefined) found = found.where("keyId", "=", keyId);
  if (userId !== undefined) found = found.where("userId", "=", userId);
  if (model !== undefined) found = found.where("model", "=", model);
  if (provider !== undefined) found = found.where("provider", "=", provider);
  if (operation !== undefined) found = found.where("operation", "=", operation);
  if (statuses !== undefined) found = found.where("status", "in", nonEmpty<string>(statuses) as typeof statuses);
  return found;
}

/** PostgreSQL has no empty list; nothing is called by what stands in for it. */
const nonEmpty = <T extends string>(values: readonly T[]): readonly (T | "\u0001")[] =>
  values.length === 0 ? ["\u0001"] : values;

export async function spendOf(db: Kysely<Tables>, scope: UsageScope) {
  const row = await selectQuarters(db, scope)
    .select(({ fn }) => [
      fn.sum<bigint | null>("cost").as("cost"),
      fn.sum<bigint | null>("requests").as("requests"),
      fn.max<number | null>("lastAt").as("lastAt"),
    ])
    .executeTakeFirstOrThrow();
  return { cost: row.cost ?? 0n, requests: row.requests ?? 0n, lastAt: row.lastAt };
}

function toGroup(row: Readonly<Record<string, unknown>>, by: readonly Dimension[]): UsageGroup {
  return {
    start: Number(row.bucketStart),
    values: Object.fromEntries(by.map((dimension) => [dimension, row[dimension] || null])),
    sums: Object.fromEntries([...SUMS, "failed"].map((name) => [name, row[name]])) as unknown as UsageTotals,
  };
}
