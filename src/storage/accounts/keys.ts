import type { Kysely } from "kysely";
import type { KeyStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { decodeModels, encodeModels } from "./models-column.ts";

export function keyStore(db: Kysely<Tables>): KeyStore {
  return {
    async findByHash(hash) {
      const row = await db
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
        ])
        .where("key.hash", "=", hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        key: {
          id: row.id,
          teamId: row.teamId,
          name: row.name,
          hash: row.hash,
          last4: row.last4,
          status: row.status,
          models: decodeModels(row.models),
          expiresAt: row.expiresAt,
          createdBy: row.createdBy,
          createdAt: row.createdAt,
          updatedAt: row.updatedAt,
        },
        team: {
          id: row.teamId,
          organizationId: row.organizationId,
          name: row.teamName,
          status: row.teamStatus,
          blockedReason: row.blockedReason,
          models: decodeModels(row.teamModels),
          createdAt: row.teamCreatedAt,
          updatedAt: row.teamUpdatedAt,
        },
      };
    },
    async insert(key) {
      await db
        .insertInto("apiKeys")
        .values({ ...key, models: encodeModels(key.models) })
        .execute();
    },
  };
}
