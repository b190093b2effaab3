import type { Kysely } from "kysely";
import type { TimeRange } from "../../usage/buckets.ts";
import type { Tables } from "../tables.ts";

/** Providers are told apart in the sums; deployments only in the log, which goes back as far as it is kept. */
export async function providerCosts(
  db: Kysely<Tables>,
  by: "provider" | "deploymentId",
  names: readonly string[],
  range: TimeRange,
): Promise<ReadonlyMap<string, bigint>> {
  if (names.length === 0) return new Map();
  const rows = by === "provider" ? await ofProviders(db, names, range) : await ofDeployments(db, names, range);
  return new Map(rows.flatMap(({ name, cost }) => (name === null ? [] : [[name, cost] as const])));
}

const ofProviders = (db: Kysely<Tables>, names: readonly string[], { start, end }: TimeRange) =>
  db
    .selectFrom("usageQuarters")
    .select(({ fn, ref }) => [ref("provider").as("name"), fn.sum<bigint>("providerCost").as("cost")])
    .where("at", ">=", start)
    .where("at", "<", end)
    .where("provider", "in", names)
    .groupBy("provider")
    .execute();

const ofDeployments = (db: Kysely<Tables>, names: readonly string[], { start, end }: TimeRange) =>
  db
    .selectFrom("usageLog")
    .select(({ fn, ref }) => [ref("deploymentId").as("name"), fn.sum<bigint>("providerCost").as("cost")])
    .where("at", ">=", start)
    .where("at", "<", end)
    .where("deploymentId", "in", names)
    .groupBy("deploymentId")
    .execute();
