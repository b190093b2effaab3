import { type Kysely, type RawBuilder, sql } from "kysely";
import type { TimeRange } from "../../usage/buckets.ts";
import { QUARTER_MS } from "../../usage/rollup.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";

type Spender = Tables["removedSpend"]["spender"];

/** Providers are told apart in the sums; deployments and tags in the log, and in what is kept of calls that left it. */
export async function providerCosts(
  db: Kysely<Tables>,
  by: "provider" | Spender,
  names: readonly string[],
  range: TimeRange,
): Promise<ReadonlyMap<string, bigint>> {
  if (names.length === 0) return new Map();
  const rows = by === "provider" ? await ofProviders(db, names, range) : await ofSpenders(db, by, names, range);
  return new Map(rows.map(({ name, cost }) => [name, cost]));
}

/** Only the log can tell which calls of a quarter of an hour are in a range that ends within it. */
const ofProviders = (db: Kysely<Tables>, names: readonly string[], { start, end }: TimeRange) =>
  db
    .selectFrom(start % QUARTER_MS === 0 && end % QUARTER_MS === 0 ? "usageQuarters" : "usageLog")
    .select(({ fn, ref }) => [ref("provider").$castTo<string>().as("name"), fn.sum<bigint>("providerCost").as("cost")])
    .where("at", ">=", start)
    .where("at", "<", end)
    .where("provider", "in", names)
    .groupBy("provider")
    .execute();

/** One statement: a call that leaves the log meanwhile is in one of the two, and not in both. */
async function ofSpenders(db: Kysely<Tables>, spender: Spender, names: readonly string[], { start, end }: TimeRange) {
  const among = sql.join(names);
  const { rows } = await sql<{ name: string; cost: bigint }>`
    select name, sum(cost) as cost from (
      ${inLog[spender](isSqlite(db), among)} and calls.at >= ${start} and calls.at < ${end}
      union all
      select name, cost from removed_spend
      where spender = ${spender} and name in (${among}) and at >= ${start} and at < ${end}
    ) as spent group by name`.execute(db);
  return rows;
}

const inLog: Readonly<Record<Spender, (sqlite: boolean, among: RawBuilder<unknown>) => RawBuilder<unknown>>> = {
  deployment: (_, among) => sql`
    select calls.deployment_id as name, calls.provider_cost as cost from usage_log calls
    where calls.deployment_id in (${among})`,
  tag: (sqlite, among) => {
    const list = sqlite ? sql`json_each(calls.tags)` : sql`jsonb_array_elements_text(calls.tags::jsonb)`;
    return sql`
    select tag.value as name, calls.provider_cost as cost from usage_log calls, ${list} as tag${sqlite ? sql`` : sql`(value)`}
    where calls.tags <> '[]' and tag.value in (${among})`;
  },
};
