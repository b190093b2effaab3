import type { Kysely } from "kysely";
import type { AuditWriter } from "../../billing/store.ts";
import { newId } from "../../lib/ids.ts";
import { auditStore } from "../accounts/audit.ts";
import type { Tables } from "../tables.ts";

export function auditDesk(db: Kysely<Tables>): AuditWriter {
  return {
    async note({ by, details = {}, ...target }, atMs) {
      await auditStore(db).insert({
        ...target,
        details,
        id: newId(),
        at: atMs,
        actor: by === null ? "system" : by.userId === null ? "master_key" : "user",
        userId: by?.userId ?? null,
        address: by?.address ?? null,
      });
    },
  };
}
