import type { Kysely } from "kysely";
import type { LoggedEntry } from "../../accounts/records.ts";
import type { AuditFilter, AuditStore } from "../../accounts/store.ts";
import { tellOfChange } from "../billing/told-changes.ts";
import type { Tables } from "../tables.ts";
import { decodeObject, encodeJson } from "./json-columns.ts";
import { paged } from "./paged.ts";

export function auditStore(db: Kysely<Tables>): AuditStore {
  return {
    async insert(entry) {
      await db
        .insertInto("auditLog")
        .values({ ...entry, details: encodeJson(entry.details), seq: null, hash: null })
        .execute();
      await tellOfChange(db, entry);
    },
    async list(filter, page) {
      const { rows, total } = await paged(found(db, filter), page);
      return { rows: rows.map(toEntry), total };
    },
    async listAfter(filter, after, limit) {
      let rest = found(db, filter).limit(limit);
      if (after) {
        rest = rest.where(({ or, and, eb }) =>
          or([eb("at", "<", after.at), and([eb("at", "=", after.at), eb("id", "<", after.id)])]),
        );
      }
      return (await rest.execute()).map(toEntry);
    },
  };
}

/** Compared as they are; a filter that does not name one takes all of them. */
const COMPARED = ["organizationId", "action", "actor", "userId", "targetType", "targetId"] as const;

function found(db: Kysely<Tables>, filter: AuditFilter) {
  // Ids sort by time: among entries of one millisecond the later one has the greater id.
  let query = db.selectFrom("auditLog").selectAll().orderBy("at", "desc").orderBy("id", "desc");
  for (const column of COMPARED) {
    const value = filter[column];
    if (value !== undefined) query = query.where(column, "=", value);
  }
  if (filter.startMs !== undefined) query = query.where("at", ">=", filter.startMs);
  if (filter.endMs !== undefined) query = query.where("at", "<", filter.endMs);
  return query;
}

const toEntry = (row: Tables["auditLog"]): LoggedEntry => ({
  ...row,
  details: decodeObject(row.details),
  seq: row.seq === null ? null : Number(row.seq),
});
