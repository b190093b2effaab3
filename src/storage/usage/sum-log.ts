import { type Kysely, sql } from "kysely";
import type { TimeRange } from "../../usage/buckets.ts";
import { SUMS, type Sum } from "../../usage/rollup.ts";
import {
  DIMENSIONS,
  type Dimension,
  LOG_DIMENSIONS,
  type LogDimension,
  type LogFilter,
  type SumFilter,
  type UsageGroup,
} from "../../usage/store.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { selectServed } from "./select-log.ts";
import { bucketOf, FAILED, GROUPS_MAX, toGroup, tooMany } from "./sum-time.ts";

/** What is summed in another way than by adding up the column of the same name. */
const OTHERWISE: Readonly<Partial<Record<Sum, ReturnType<typeof sql<bigint>>>>> = {
  requests: sql<bigint>`count(*)`,
  cacheHits: sql<bigint>`sum(case when cache_hit then 1 else 0 end)`,
  firstByteMs: sql<bigint>`coalesce(sum(first_byte_ms), 0)`,
  firstByteCalls: sql<bigint>`count(first_byte_ms)`,
};

/** As `sumTime`, call by call. */
export async function sumLog(
  db: Kysely<Tables>,
  filter: SumFilter & Pick<LogFilter, "endUsers">,
  buckets: readonly TimeRange[],
  by: readonly (Dimension | LogDimension)[],
): Promise<readonly UsageGroup[]> {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (!first || !last) return [];
  const wanted = [...DIMENSIONS, ...LOG_DIMENSIONS].filter((dimension) => by.includes(dimension));
  const found = await selectCalls(db, { ...filter, start: first.start, end: last.end }, by.includes("tag"))
    .select([bucketOf(buckets).as("bucketStart"), ...wanted.map((dimension) => columnOf(dimension).as(dimension))])
    .select(SUMS.map((name) => (OTHERWISE[name] ?? sql<bigint>`sum(${sql.ref(name)})`).as(name)))
    .select(sql<bigint>`sum(case when status in (${sql.join(FAILED)}) then 1 else 0 end)`.as("failed"))
    .groupBy(["bucketStart", ...wanted].map((name) => sql.ref(name)))
    .orderBy(sql.ref("bucketStart"))
    .limit(GROUPS_MAX + 1)
    .execute();
  if (found.length > GROUPS_MAX) throw tooMany();
  return found.map((row) => toGroup(row as Readonly<Record<string, unknown>>, wanted));
}

const columnOf = (dimension: Dimension | LogDimension) => (dimension === "tag" ? sql`e.value` : sql.ref(dimension));

/** A row for each call, or for each tag of it; one without a tag is there once, with none. */
function selectCalls(db: Kysely<Tables>, filter: LogFilter & TimeRange, isByTag: boolean) {
  const calls = db.selectFrom(selectServed(db, filter).selectAll().as("calls"));
  if (!isByTag) return calls;
  const list = isSqlite(db) ? sql`json_each(calls.tags)` : sql`jsonb_array_elements_text(calls.tags::jsonb)`;
  return calls.leftJoin(list.as("e"), (join) => join.onTrue()) as typeof calls;
}
