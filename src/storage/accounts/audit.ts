import type { Kysely } from "kysely";
import type { AuditStore } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { decodeObject, encodeJson } from "./json-columns.ts";
import { paged } from "./paged.ts";

export function auditStore(db: Kysely<Tables>): AuditStore {
  return {
    async insert(entry) {
      await db
        .insertInto("auditLog")
        .values({ ...entry, details: encodeJson(entry.details) })
        .execute();
    },
    async list({ organizationId, action, userId }, page) {
      // Ids sort by time: among entries of one millisecond the later one has the greater id.
      let found = db.selectFrom("auditLog").selectAll().orderBy("at", "desc").orderBy("id", "desc");
      if (organizationId !== undefined) found = found.where("organizationId", "=", organizationId);
      if (action !== undefined) found = found.where("action", "=", action);
      if (userId !== undefined) found = found.where("userId", "=", userId);
      const { rows, total } = await paged(found, page);
      return { rows: rows.map((row) => ({ ...row, details: decodeObject(row.details) })), total };
    },
  };
}
