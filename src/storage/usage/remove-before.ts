import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

/** A few at a time: one long delete would hold up everybody who writes. */
export function removeBefore(
  db: Kysely<Tables>,
  end: number,
  organizationId: string | null,
  limit: number,
): Promise<number> {
  return inTransaction(db, async (tx) => {
    let old = tx.selectFrom("usageLog").select("id").where("at", "<", end).orderBy("at").limit(limit);
    if (organizationId !== null) old = old.where("organizationId", "=", organizationId);
    const ids = (await old.execute()).map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx.deleteFrom("usageContents").where("id", "in", ids).execute();
    await tx.deleteFrom("usageLog").where("id", "in", ids).execute();
    return ids.length;
  });
}
