import type { Kysely } from "kysely";
import type { OwnerDimension, OwnerSpend, Spend, UsageScope } from "../../usage/store.ts";
import { PreparedQuery } from "../prepared-query.ts";
import type { Tables } from "../tables.ts";
import { GROUPS_MAX, nonEmpty, tooMany } from "./sum-time.ts";

/** What was spent ever: one row for each who spends, however long they do. */
function selectTotals(db: Kysely<Tables>, { organizationId, teamIds, keyId, userId }: UsageScope) {
  let found = db.selectFrom("usageTotals");
  if (organizationId !== undefined) found = found.where("organizationId", "=", organizationId);
  if (teamIds !== undefined) found = found.where("teamId", "in", nonEmpty(teamIds));
  if (keyId !== undefined) found = found.where("keyId", "=", keyId);
  if (userId !== undefined) found = found.where("userId", "=", userId);
  return found;
}

export async function hasCalls(db: Kysely<Tables>, scope: UsageScope): Promise<boolean> {
  return (await selectTotals(db, scope).select("keyId").limit(1).executeTakeFirst()) !== undefined;
}

export async function spendOf(db: Kysely<Tables>, scope: UsageScope): Promise<Spend> {
  const { keyId, ...others } = scope;
  // Each key is asked about with the first of its calls.
  const isKeyAlone = keyId !== undefined && Object.keys(others).length === 0;
  const row = isKeyAlone ? await byKey.first(db, keyId) : await selectSpend(db, scope).executeTakeFirst();
  return { cost: row?.cost ?? 0n, requests: row?.requests ?? 0n, lastAt: row?.lastAt ?? null };
}

const selectSpend = (db: Kysely<Tables>, scope: UsageScope) =>
  selectTotals(db, scope).select(({ fn }) => [
    fn.sum<bigint | null>("cost").as("cost"),
    fn.sum<bigint | null>("requests").as("requests"),
    fn.max<number | null>("lastAt").as("lastAt"),
  ]);

const byKey = new PreparedQuery((db, keyId) => selectSpend(db, { keyId }));

export async function spendOfMany(
  db: Kysely<Tables>,
  column: "keyId" | "teamId",
  ids: readonly string[],
): Promise<ReadonlyMap<string, Spend>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("usageTotals")
    .select(({ fn, ref }) => [
      ref(column).as("id"),
      fn.sum<bigint>("cost").as("cost"),
      fn.sum<bigint>("requests").as("requests"),
      fn.max<number>("lastAt").as("lastAt"),
    ])
    .where(column, "in", ids)
    .groupBy(column)
    .execute();
  return new Map(rows.map(({ id, ...spend }) => [id, spend]));
}

export async function spendBy(
  db: Kysely<Tables>,
  by: readonly OwnerDimension[],
  limit?: number,
): Promise<readonly OwnerSpend[]> {
  const dearest = db
    .selectFrom("usageTotals")
    .select(by)
    .select(({ fn }) => fn.sum<bigint>("cost").as("cost"))
    .groupBy(by)
    .orderBy(({ fn }) => fn.sum("cost"), "desc");
  const rows = await by
    .reduce((ordered, name) => ordered.orderBy(name), dearest)
    .limit(Math.min(limit ?? GROUPS_MAX + 1, GROUPS_MAX + 1))
    .execute();
  if (rows.length > GROUPS_MAX) throw tooMany();
  return rows.map(({ cost, ...values }) => ({
    values: Object.fromEntries(by.map((name) => [name, values[name] || null])),
    cost,
  }));
}
