import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { GatewayError } from "../../contract/errors.ts";
import type { TimeRange } from "../../usage/buckets.ts";
import { DAY_MS, SUMS, type Sum } from "../../usage/rollup.ts";
import { type Span, spansOf } from "../../usage/spans.ts";
import {
  DIMENSIONS,
  type Dimension,
  type LogDimension,
  type SumFilter,
  type UsageGroup,
  type UsageTotals,
} from "../../usage/store.ts";
import type { Tables } from "../tables.ts";

/** More than anybody reads at once. */
export const GROUPS_MAX = 20_000;
export const FAILED = ["rejected", "failed", "partial", "aborted"];

/**
 * One look at the sums of the range, whatever it is cut into: the bucket of a sum is worked out from where it lies.
 * A join with the buckets would be left to the planners, which compare each sum with each bucket when they are wrong.
 */
export async function sumTime(
  db: Kysely<Tables>,
  filter: SumFilter,
  buckets: readonly TimeRange[],
  by: readonly Dimension[],
): Promise<readonly UsageGroup[]> {
  const [first, ...others] = spansOf(buckets);
  if (!first) return [];
  const wanted = DIMENSIONS.filter((dimension) => by.includes(dimension));
  const sums = others.reduce(
    (made, span) => made.unionAll(selectSpan(db, filter, span, wanted)),
    selectSpan(db, filter, first, wanted),
  );
  const found = await db
    .selectFrom(sums.as("sums"))
    .select(bucketOf(buckets).as("bucketStart"))
    .select(wanted)
    .select(({ fn }) => SUMS.map((name) => fn.sum<bigint>(name).as(name)))
    .select(sql<bigint>`sum(case when status in (${sql.join(FAILED)}) then requests else 0 end)`.as("failed"))
    .groupBy("bucketStart")
    .groupBy(wanted)
    // What was taken off elsewhere may be all that there was.
    .having(sql<SqlBool>`sum(sums.requests) <> 0`)
    .orderBy("bucketStart")
    .limit(GROUPS_MAX + 1)
    .execute();
  if (found.length > GROUPS_MAX) throw tooMany();
  return found.map((row) => toGroup(row as Readonly<Record<string, unknown>>, wanted));
}

const OF_DAY = sql`${sql.ref("at")} % ${sql.lit(DAY_MS)}`;

/** The sums of a span, at a time by which their bucket is known. */
function selectSpan(db: Kysely<Tables>, filter: SumFilter, span: Span, wanted: readonly Dimension[]) {
  const { by, start, end, within, countsAt, isTaken } = span;
  const place = countsAt === null ? sql.ref("at") : sql`${sql.ref("at")} - ${OF_DAY} + ${sql.lit(countsAt)}`;
  const amount = (name: Sum) => (isTaken ? sql`-${sql.ref(name)}` : sql.ref(name));
  let found = selectSums(db, by === "day" ? "usageDays" : "usageQuarters", filter)
    .where("at", ">=", start)
    .where("at", "<", end);
  // Compared for each quarter of the span, so only where it tells something.
  if (within && within.start > 0) found = found.where(sql<SqlBool>`${OF_DAY} >= ${sql.lit(within.start)}`);
  if (within && within.end < DAY_MS) found = found.where(sql<SqlBool>`${OF_DAY} < ${sql.lit(within.end)}`);
  return found
    .select(sql<bigint>`${place}`.as("at"))
    .select([...new Set([...wanted, "status"] as const)])
    .select(SUMS.map((name) => sql<bigint>`${amount(name)}`.as(name)));
}

export const tooMany = (): GatewayError =>
  new GatewayError("invalid_request", `There are more than ${GROUPS_MAX} groups; ask for fewer or for a shorter time.`);

/** The beginning of the bucket that a quarter lies in. Buckets of one length in a row, as most days are, are one case. */
export function bucketOf(buckets: readonly TimeRange[]): RawBuilder<bigint> {
  const cases = runsOf(buckets).map(({ start, end, length }) => {
    const [from, size] = [BigInt(start), BigInt(length)];
    return sql`when at < ${BigInt(end)} then (at - ${from}) / ${size} * ${size} + ${from}`;
  });
  return sql<bigint>`case ${sql.join(cases, sql` `)} end`;
}

interface Run extends TimeRange {
  readonly length: number;
}

function runsOf(buckets: readonly TimeRange[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { start, end } of buckets) {
    const last = runs.at(-1);
    if (last && last.length === end - start) runs[runs.length - 1] = { ...last, end };
    else runs.push({ start, end, length: end - start });
  }
  return runs;
}

/** Calls without a team or a model have an empty one there; nobody's is user 0. */
function selectSums(db: Kysely<Tables>, table: "usageQuarters" | "usageDays", filter: SumFilter) {
  const { organizationId, organizationIds, teamIds, keyId, userId, model, provider, operation, statuses } = filter;
  // Both have the same columns.
  let found = db.selectFrom(table as "usageQuarters");
  if (organizationId !== undefined) found = found.where("organizationId", "=", organizationId);
  if (organizationIds !== undefined) found = found.where("organizationId", "in", nonEmpty(organizationIds));
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
export const nonEmpty = <T extends string>(values: readonly T[]): readonly (T | "\u0001")[] =>
  values.length === 0 ? ["\u0001"] : values;

export function toGroup(row: Readonly<Record<string, unknown>>, by: readonly (Dimension | LogDimension)[]): UsageGroup {
  return {
    start: Number(row.bucketStart),
    values: Object.fromEntries(by.map((dimension) => [dimension, row[dimension] || null])),
    sums: Object.fromEntries([...SUMS, "failed"].map((name) => [name, row[name]])) as unknown as UsageTotals,
  };
}
