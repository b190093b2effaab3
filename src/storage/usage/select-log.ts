import { type ExpressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import type { LogFilter, LogSlice } from "../../usage/store.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";

/** The calls that a filter lets through, in no order yet. */
export function selectLog(db: Kysely<Tables>, filter: LogFilter) {
  return db
    .selectFrom("usageLog")
    .where((eb) => eb.and([...ownerConditions(eb, filter), ...conditions(db, eb, filter)]));
}

/** The same for sums, which know a call by the model that served alone; the list is searched by what was asked for as well. */
export function selectServed(db: Kysely<Tables>, { model, ...others }: LogFilter) {
  const found = selectLog(db, others);
  return model === undefined ? found : found.where("model", "=", model);
}

/** One part of them in their order; ids break the tie between calls of one millisecond. */
export function selectSlice(db: Kysely<Tables>, filter: LogFilter, { order, limit, after, offset }: LogSlice) {
  const direction = order === "newest" ? "desc" : "asc";
  let found = selectLog(db, filter).selectAll().orderBy("at", direction).orderBy("id", direction).limit(limit);
  if (after) {
    const follows = order === "newest" ? sql`<` : sql`>`;
    found = found.where(sql<SqlBool>`(${sql.ref("at")}, ${sql.ref("id")}) ${follows} (${after.at}, ${after.id})`);
  }
  return offset ? found.offset(offset) : found;
}

type Conditions = ReturnType<ExpressionBuilder<Tables, "usageLog">>[];

function ownerConditions(eb: ExpressionBuilder<Tables, "usageLog">, filter: LogFilter): Conditions {
  const { organizationId, organizationIds, teamIds, keyId, userId } = filter;
  return [
    ...(organizationId === undefined ? [] : [eb("organizationId", "=", organizationId)]),
    ...(organizationIds === undefined ? [] : [amongThem(eb, "organizationId", organizationIds)]),
    ...(teamIds === undefined ? [] : [amongThem(eb, "teamId", teamIds)]),
    ...(keyId === undefined ? [] : [eb("keyId", "=", keyId)]),
    ...(userId === undefined ? [] : [eb("userId", "=", userId)]),
  ] as Conditions;
}

/** PostgreSQL has no empty list. */
const amongThem = (
  eb: ExpressionBuilder<Tables, "usageLog">,
  column: "organizationId" | "teamId" | "endUser",
  ids: readonly string[],
) => (ids.length === 0 ? sql<SqlBool>`1 = 0` : eb(column, "in", ids));

function conditions(db: Kysely<Tables>, eb: ExpressionBuilder<Tables, "usageLog">, filter: LogFilter): Conditions {
  const { start, end, id, model, provider, operation, statuses, minCost, maxCost, stream, tag } = filter;
  const { endUser, endUsers } = filter;
  return [
    ...(start === undefined ? [] : [eb("at", ">=", start)]),
    ...(end === undefined ? [] : [eb("at", "<", end)]),
    ...(id === undefined ? [] : [eb("id", "=", id)]),
    ...(model === undefined ? [] : [eb.or([eb("model", "=", model), eb("requestedModel", "=", model)])]),
    ...(provider === undefined ? [] : [eb("provider", "=", provider)]),
    ...(operation === undefined ? [] : [eb("operation", "=", operation as Tables["usageLog"]["operation"])]),
    ...(statuses === undefined ? [] : [statuses.length === 0 ? sql<SqlBool>`1 = 0` : eb("status", "in", statuses)]),
    ...(minCost === undefined ? [] : [eb("cost", ">=", minCost)]),
    ...(maxCost === undefined ? [] : [eb("cost", "<=", maxCost)]),
    ...(stream === undefined ? [] : [sql<SqlBool>`${sql.ref("stream")} = ${stream ? sql`true` : sql`false`}`]),
    ...(endUser === undefined ? [] : [eb("endUser", "=", endUser)]),
    ...(endUsers === undefined
      ? []
      : [endUsers === null ? eb("endUser", "is not", null) : amongThem(eb, "endUser", endUsers)]),
    ...(tag === undefined ? [] : [hasTag(db, tag)]),
  ] as Conditions;
}

/** SQLite knows `true` as 1, which is what it stores. */
const hasTag = (db: Kysely<Tables>, tag: string) =>
  isSqlite(db)
    ? sql<SqlBool>`exists (select 1 from json_each(${sql.ref("tags")}) where value = ${tag})`
    : sql<SqlBool>`jsonb_exists(${sql.ref("tags")}::jsonb, ${tag})`;
