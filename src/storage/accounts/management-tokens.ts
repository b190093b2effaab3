import type { Kysely, Selectable } from "kysely";
import type { ManagementToken } from "../../accounts/sign-in-records.ts";
import type { ManagementTokenStore } from "../../accounts/sign-in-store.ts";
import { TOKEN_SCOPES } from "../../contract/management-tokens.ts";
import type { Tables } from "../tables.ts";
import { decodeStrings, encodeJson } from "./json-columns.ts";

export function managementTokenStore(db: Kysely<Tables>): ManagementTokenStore {
  return {
    async findByHash(hash) {
      const row = await db.selectFrom("managementTokens").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row ? toToken(row) : null;
    },
    async insert(token) {
      await db
        .insertInto("managementTokens")
        .values({ ...token, scopes: encodeJson(token.scopes) })
        .execute();
    },
    async used(id, atMs) {
      await db.updateTable("managementTokens").set({ lastUsedAt: atMs }).where("id", "=", id).execute();
    },
    async remove(userId, id) {
      const own = db.deleteFrom("managementTokens").where("userId", "=", userId).where("id", "=", id);
      const row = await own.returningAll().executeTakeFirst();
      return row ? toToken(row) : null;
    },
    async removeOf(userId) {
      await db.deleteFrom("managementTokens").where("userId", "=", userId).execute();
    },
    async listOf(userId) {
      const own = db.selectFrom("managementTokens").selectAll().where("userId", "=", userId);
      const rows = await own.orderBy("createdAt", "desc").orderBy("id", "desc").execute();
      return rows.map(toToken);
    },
  };
}

/** A scope that there no longer is opens nothing. */
function toToken(row: Selectable<Tables["managementTokens"]>): ManagementToken {
  const scopes = decodeStrings(row.scopes);
  return { ...row, scopes: TOKEN_SCOPES.filter((scope) => scopes.includes(scope)) };
}
