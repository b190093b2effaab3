import type { Insertable, Kysely, Selectable, Updateable } from "kysely";
import type { Team } from "../../accounts/records.ts";
import type { TeamOrder, TeamStore, TeamWithCounts } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { byName } from "./by-name.ts";
import { contains } from "./contains.ts";
import { inOrder } from "./in-order.ts";
import { isEmpty } from "./is-empty.ts";
import {
  decodeAliases,
  decodeFurtherBudgets,
  decodeModelLimits,
  decodeObject,
  decodeStrings,
  encodeJson,
} from "./json-columns.ts";
import { paged } from "./paged.ts";

export function teamStore(db: Kysely<Tables>): TeamStore {
  return {
    async find(id) {
      const row = await db.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toTeam(row);
    },
    async insert(team) {
      await db.insertInto("teams").values(toTeamRow(team)).execute();
    },
    async hasUsage(id) {
      const found = db.selectFrom("usageQuarters").select("teamId").where("teamId", "=", id).limit(1);
      return (await found.executeTakeFirst()) !== undefined;
    },
    async update(id, changes) {
      const row = toTeamChanges(changes);
      if (isEmpty(row)) return;
      await db.updateTable("teams").set(row).where("id", "=", id).execute();
    },
    async remove(id) {
      // The foreign keys take the memberships and the keys with it.
      await db.deleteFrom("teams").where("id", "=", id).execute();
    },
    async list(organizationId) {
      const rows = await selectCounted(db).where("organizationId", "=", organizationId).orderBy("id").execute();
      return byName(rows, ({ name }) => name).map(toCounted);
    },
    async search({ ids, search }, page, order = OLDEST_FIRST) {
      // PostgreSQL has no empty list.
      if (ids?.length === 0) return { rows: [], total: 0 };
      let found = inOrder(db, selectCounted(db), order);
      if (ids !== null) found = found.where("id", "in", ids);
      if (search !== undefined) found = found.where(contains("name", search));
      const { rows, total } = await paged(found, page);
      return { rows: rows.map(toCounted), total };
    },
  };
}

const OLDEST_FIRST: TeamOrder = { by: "createdAt", direction: "asc" };

const selectCounted = (db: Kysely<Tables>) =>
  db
    .selectFrom("teams")
    .selectAll("teams")
    .select(({ selectFrom, fn }) => [
      selectFrom("teamMembers")
        .select(fn.countAll<bigint>().as("members"))
        .whereRef("teamMembers.teamId", "=", "teams.id")
        .as("membersCount"),
      selectFrom("apiKeys")
        .select(fn.countAll<bigint>().as("keys"))
        .whereRef("apiKeys.teamId", "=", "teams.id")
        .as("keysCount"),
    ]);

type CountedRow = Selectable<Tables["teams"]> & { membersCount: bigint | null; keysCount: bigint | null };

const toCounted = ({ membersCount, keysCount, ...team }: CountedRow): TeamWithCounts => ({
  team: toTeam(team),
  membersCount: Number(membersCount),
  keysCount: Number(keysCount),
});

export function toTeam(row: Selectable<Tables["teams"]>): Team {
  return {
    ...row,
    models: decodeStrings(row.models),
    modelAliases: decodeAliases(row.modelAliases),
    modelLimits: decodeModelLimits(row.modelLimits),
    furtherBudgets: decodeFurtherBudgets(row.furtherBudgets),
    guardrails: decodeStrings(row.guardrails),
    tags: decodeStrings(row.tags),
    metadata: decodeObject(row.metadata),
  };
}

function toTeamRow(team: Team): Insertable<Tables["teams"]> {
  return {
    ...team,
    models: encodeJson(team.models),
    modelAliases: encodeJson(team.modelAliases),
    modelLimits: encodeJson(team.modelLimits),
    furtherBudgets: encodeJson(team.furtherBudgets),
    guardrails: encodeJson(team.guardrails),
    tags: encodeJson(team.tags),
    metadata: encodeJson(team.metadata),
  };
}

/** Without what makes the team this team: its id, its organization and when it was made never change. */
function toTeamChanges(changes: Partial<Team>): Updateable<Tables["teams"]> {
  const { id: _id, organizationId: _organizationId, createdAt: _createdAt, ...rest } = changes;
  const { models, modelAliases, modelLimits, furtherBudgets, guardrails, tags, metadata, ...plain } = rest;
  return {
    ...plain,
    models: models && encodeJson(models),
    modelAliases: modelAliases && encodeJson(modelAliases),
    modelLimits: modelLimits && encodeJson(modelLimits),
    furtherBudgets: furtherBudgets && encodeJson(furtherBudgets),
    guardrails: guardrails && encodeJson(guardrails),
    tags: tags && encodeJson(tags),
    metadata: metadata && encodeJson(metadata),
  };
}
