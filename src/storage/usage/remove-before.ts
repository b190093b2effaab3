import type { Kysely } from "kysely";
import type { KeptSpend } from "../../usage/store.ts";
import { settingStore } from "../accounts/settings.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { keepSpend } from "./keep-spend.ts";

/** A few at a time: one long delete would hold up everybody who writes. */
export function removeBefore(
  db: Kysely<Tables>,
  end: number,
  organizationId: string | null,
  limit: number,
  kept?: KeptSpend,
): Promise<number> {
  return inTransaction(db, async (tx) => {
    let old = tx.selectFrom("usageLog").select("id").where("at", "<", end).orderBy("at").limit(limit);
    if (organizationId !== null) old = old.where("organizationId", "=", organizationId);
    await noteThinned(tx, organizationId, end);
    const ids = (await old.execute()).map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx.deleteFrom("usageContents").where("id", "in", ids).execute();
    // What this statement took out, and nobody else did at the same time.
    const removed = await tx
      .deleteFrom("usageLog")
      .where("id", "in", ids)
      .returning(["at", "deploymentId", "tags", "providerCost"])
      .execute();
    if (kept) await keepSpend(tx, removed, kept);
    return ids.length;
  });
}

/** How the books know from when on the log is whole. Without an organization it is meant for all. */
export const THINNED = "usage.thinned:";

/** From when on the log has all calls of an organization. Who thins it further waits for the transaction. */
export async function logBegins(
  tx: Kysely<Tables>,
  organizationIds: Iterable<string | null>,
): Promise<(organizationId: string | null) => number> {
  const names = [THINNED, ...[...organizationIds].map((id) => THINNED + (id ?? ""))];
  const found = tx.selectFrom("settings").select(["name", "value"]).where("name", "in", names);
  const marks = new Map(
    (await (isSqlite(tx) ? found : found.forShare()).execute()).map(({ name, value }) => [name, Number(value)]),
  );
  const of = (name: string): number => marks.get(name) ?? 0;
  return (organizationId) => Math.max(of(THINNED), of(THINNED + (organizationId ?? "")));
}

async function noteThinned(tx: Kysely<Tables>, organizationId: string | null, end: number): Promise<void> {
  const name = THINNED + (organizationId ?? "");
  const before = await tx.selectFrom("settings").select("value").where("name", "=", name).executeTakeFirst();
  if (before && Number(before.value) >= end) return;
  await settingStore(tx).put(name, String(end));
}
