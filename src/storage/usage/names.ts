import type { Kysely } from "kysely";
import type { Dimension, NamedThings, UsageGroup } from "../../usage/store.ts";
import { fromStoredEmail } from "../accounts/users.ts";
import type { Tables } from "../tables.ts";

/** What things are called now; of keys and teams that are gone, what they were called when they were last used. */
export async function namesOf(db: Kysely<Tables>, groups: readonly Pick<UsageGroup, "values">[]): Promise<NamedThings> {
  const [teams, keys, users, organizations] = await Promise.all([
    teamNames(db, textsOf(groups, "teamId")),
    keyNames(db, textsOf(groups, "keyId")),
    userNames(db, groups),
    organizationNames(db, textsOf(groups, "organizationId")),
  ]);
  return { teams, keys, users, organizations };
}

const valuesOf = (groups: readonly Pick<UsageGroup, "values">[], dimension: Dimension) => [
  ...new Set(groups.map(({ values }) => values[dimension])),
];

const textsOf = (groups: readonly Pick<UsageGroup, "values">[], dimension: Dimension): string[] =>
  valuesOf(groups, dimension).filter((value) => typeof value === "string");

async function teamNames(db: Kysely<Tables>, ids: readonly string[]): Promise<NamedThings["teams"]> {
  if (ids.length === 0) return new Map();
  const present = await db.selectFrom("teams").select(["id", "name"]).where("id", "in", ids).execute();
  const names = new Map(present.map(({ id, name }) => [id, name]));
  for (const id of ids) {
    if (names.has(id)) continue;
    const last = await db
      .selectFrom("usageLog")
      .select("teamName")
      .where("teamId", "=", id)
      .where("teamName", "is not", null)
      .limit(1)
      .executeTakeFirst();
    if (last?.teamName) names.set(id, last.teamName);
  }
  return names;
}

async function keyNames(db: Kysely<Tables>, ids: readonly string[]): Promise<NamedThings["keys"]> {
  if (ids.length === 0) return new Map();
  const present = await db.selectFrom("apiKeys").select(["id", "name", "handle"]).where("id", "in", ids).execute();
  const names = new Map<string, { name: string; handle: string | null }>(
    present.map(({ id, name, handle }) => [id, { name, handle }]),
  );
  for (const id of ids) {
    if (names.has(id)) continue;
    const last = await db
      .selectFrom("usageLog")
      .select("keyName")
      .where("keyId", "=", id)
      .orderBy("at", "desc")
      .limit(1)
      .executeTakeFirst();
    if (last) names.set(id, { name: last.keyName, handle: null });
  }
  return names;
}

async function userNames(
  db: Kysely<Tables>,
  groups: readonly Pick<UsageGroup, "values">[],
): Promise<NamedThings["users"]> {
  const ids = valuesOf(groups, "userId").filter((value) => typeof value === "number");
  if (ids.length === 0) return new Map();
  const found = await db.selectFrom("users").select(["id", "externalId", "email"]).where("id", "in", ids).execute();
  return new Map(found.map(({ id, externalId, email }) => [id, { externalId, email: fromStoredEmail(email) || null }]));
}

async function organizationNames(db: Kysely<Tables>, ids: readonly string[]): Promise<NamedThings["organizations"]> {
  if (ids.length === 0) return new Map();
  const found = await db.selectFrom("organizations").select(["id", "name"]).where("id", "in", ids).execute();
  return new Map(found.map(({ id, name }) => [id, name]));
}
