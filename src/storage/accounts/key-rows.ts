import type { Kysely, Selectable, Updateable } from "kysely";
import type { ApiKey } from "../../accounts/records.ts";
import type { KeyWithTeam } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { decodeObject, decodeStrings, encodeJson } from "./json-columns.ts";
import { toTeam } from "./teams.ts";

type KeyRow = Selectable<Tables["apiKeys"]>;
type KeyRowWithTeam = Awaited<ReturnType<ReturnType<typeof selectWithTeam>["executeTakeFirstOrThrow"]>>;

export function toKey(row: KeyRow): ApiKey {
  return {
    ...row,
    models: decodeStrings(row.models),
    allowedIps: decodeStrings(row.allowedIps),
    tags: decodeStrings(row.tags),
    metadata: decodeObject(row.metadata),
  };
}

export function toKeyRow(key: ApiKey): KeyRow {
  return {
    ...key,
    models: encodeJson(key.models),
    allowedIps: encodeJson(key.allowedIps),
    tags: encodeJson(key.tags),
    metadata: encodeJson(key.metadata),
  };
}

/** Without what makes the key this key: its id, its team and when it was made never change. */
export function toKeyChanges(changes: Partial<ApiKey>): Updateable<Tables["apiKeys"]> {
  const { id: _id, teamId: _teamId, createdAt: _createdAt, models, allowedIps, tags, metadata, ...plain } = changes;
  return {
    ...plain,
    models: models && encodeJson(models),
    allowedIps: allowedIps && encodeJson(allowedIps),
    tags: tags && encodeJson(tags),
    metadata: metadata && encodeJson(metadata),
  };
}

export function selectWithTeam(db: Kysely<Tables>) {
  return db
    .selectFrom("apiKeys as key")
    .innerJoin("teams as team", "team.id", "key.teamId")
    .selectAll("key")
    .select([
      "team.organizationId",
      "team.name as teamName",
      "team.status as teamStatus",
      "team.blockedReason",
      "team.models as teamModels",
      "team.createdAt as teamCreatedAt",
      "team.updatedAt as teamUpdatedAt",
    ]);
}

export function toKeyWithTeam(row: KeyRowWithTeam): KeyWithTeam {
  const { organizationId, teamName, teamStatus, blockedReason, teamModels, teamCreatedAt, teamUpdatedAt, ...key } = row;
  const team = {
    id: key.teamId,
    organizationId,
    name: teamName,
    status: teamStatus,
    blockedReason,
    models: teamModels,
    createdAt: teamCreatedAt,
    updatedAt: teamUpdatedAt,
  };
  return { key: toKey(key), team: toTeam(team) };
}
