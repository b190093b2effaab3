import type { Kysely, Selectable, Updateable } from "kysely";
import type { ApiKey } from "../../accounts/records.ts";
import type { KeyWithTeam } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import {
  decodeAliases,
  decodeFurtherBudgets,
  decodeModelLimits,
  decodeObject,
  decodeStrings,
  encodeJson,
} from "./json-columns.ts";
import { toTeam } from "./teams.ts";

type KeyRow = Selectable<Tables["apiKeys"]>;
type TeamRow = Selectable<Tables["teams"]>;
type KeyRowWithTeam = Awaited<ReturnType<ReturnType<typeof selectWithTeam>["executeTakeFirstOrThrow"]>>;

export function toKey(row: KeyRow): ApiKey {
  return {
    ...row,
    models: decodeStrings(row.models),
    allowedIps: decodeStrings(row.allowedIps),
    guardrails: decodeStrings(row.guardrails),
    tags: decodeStrings(row.tags),
    metadata: decodeObject(row.metadata),
    modelLimits: decodeModelLimits(row.modelLimits),
    furtherBudgets: decodeFurtherBudgets(row.furtherBudgets),
    aliases: decodeAliases(row.aliases),
  };
}

export function toKeyRow(key: ApiKey): KeyRow {
  return {
    ...key,
    models: encodeJson(key.models),
    allowedIps: encodeJson(key.allowedIps),
    guardrails: encodeJson(key.guardrails),
    tags: encodeJson(key.tags),
    metadata: encodeJson(key.metadata),
    modelLimits: encodeJson(key.modelLimits),
    furtherBudgets: encodeJson(key.furtherBudgets),
    aliases: encodeJson(key.aliases),
  };
}

/** Without what makes the key this key: its id, its team and when it was made never change. */
export function toKeyChanges(changes: Partial<ApiKey>): Updateable<Tables["apiKeys"]> {
  const { id: _id, teamId: _teamId, createdAt: _createdAt, ...rest } = changes;
  const { models, allowedIps, guardrails, tags, metadata, modelLimits, furtherBudgets, aliases, ...plain } = rest;
  return {
    ...plain,
    models: models && encodeJson(models),
    allowedIps: allowedIps && encodeJson(allowedIps),
    guardrails: guardrails && encodeJson(guardrails),
    tags: tags && encodeJson(tags),
    metadata: metadata && encodeJson(metadata),
    modelLimits: modelLimits && encodeJson(modelLimits),
    furtherBudgets: furtherBudgets && encodeJson(furtherBudgets),
    aliases: aliases && encodeJson(aliases),
  };
}

/** All of a team's columns, each once; a record of them, so that none can be forgotten. */
const TEAM_COLUMNS = Object.keys({
  id: 0,
  organizationId: 0,
  name: 0,
  status: 0,
  blockedReason: 0,
  models: 0,
  modelAliases: 0,
  modelLimits: 0,
  furtherBudgets: 0,
  memberBudget: 0,
  memberBudgetWindow: 0,
  memberRpmLimit: 0,
  memberTpmLimit: 0,
  budget: 0,
  softBudget: 0,
  budgetWindow: 0,
  rpmLimit: 0,
  tpmLimit: 0,
  parallelLimit: 0,
  guardrails: 0,
  tags: 0,
  metadata: 0,
  budgetId: 0,
  createdAt: 0,
  updatedAt: 0,
} satisfies Record<keyof TeamRow, 0>) as readonly (keyof TeamRow)[];

/** What a column of the team is called beside those of the key. */
const inJoin = <Column extends keyof TeamRow>(column: Column) =>
  `ofTeam${column.charAt(0).toUpperCase()}${column.slice(1)}` as `ofTeam${Capitalize<Column>}`;

/** The same by that name, put together once: keys are looked up by the thousand. */
const JOINED: ReadonlyMap<string, keyof TeamRow> = new Map(TEAM_COLUMNS.map((column) => [inJoin(column), column]));

export function selectWithTeam(db: Kysely<Tables>) {
  return db
    .selectFrom("apiKeys as key")
    .innerJoin("teams as team", "team.id", "key.teamId")
    .selectAll("key")
    .select(TEAM_COLUMNS.map((column) => `team.${column} as ${inJoin(column)}` as const));
}

export function toKeyWithTeam(row: KeyRowWithTeam): KeyWithTeam {
  const key: Record<string, unknown> = {};
  const team: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    const column = JOINED.get(name);
    if (column === undefined) key[name] = value;
    else team[column] = value;
  }
  return { key: toKey(key as unknown as KeyRow), team: toTeam(team as unknown as TeamRow) };
}
