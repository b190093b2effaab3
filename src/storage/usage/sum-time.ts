import { type Kysely, type RawBuilder, sql } from "kysely";
import { GatewayError } from "../../contract/errors.ts";
import type { TimeRange } from "../../usage/buckets.ts";
import { SUMS } from "../../usage/rollup.ts";
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
  const read = [...new Set(["at", ...wanted, "status", ...SUMS] as const)];
  const spanning = (span: Span) =>
    selectSums(db, span.by === "day" ? "usageDays" : "usageQuarters", filter)
      .where("at", ">=", span.start)
      .where("at", "<", span.end)
      .select(read);
  const sums = others.reduce((made, span) => made.unionAll(spanning(span)), spanning(first));
  const found = await db
    .selectFrom(sums.as("sums"))
    .select(bucketOf(buckets).as("bucketStart"))
    .select(wanted)
    .select(({ fn }) => SUMS.map((name) => fn.sum<bigint>(name).as(name)))
    .select(sql<bigint>`sum(case when status in (${sql.join(FAILED)}) then requests else 0 end)`.as("failed"))
    .groupBy("bucketStart")
    .groupBy(wanted)
    .orderBy("bucketStart")
    .limit(GROUPS_MAX + 1)
    .execute();
  if (found.length > GROUPS_MAX) throw tooMany();
  return found.map((row) => toGroup(row as Readonly<Record<string, unknown>>, wanted));
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
