import type { Kysely } from "kysely";
import { newId } from "../../lib/ids.ts";
import { auditStore } from "../accounts/audit.ts";
import { tell } from "../billing/notices.ts";
import type { Tables } from "../tables.ts";

/**
 * Blocks the teams of an organization whose balance is negative, and unblocks those that were blocked for it once it is not.
 * What an administrator blocked stays blocked. Gives the teams that changed.
 */
export async function applyStanding(
  db: Kysely<Tables>,
  organizationId: string,
  balance: bigint,
  at: number,
): Promise<readonly string[]> {
  const blocks = balance < 0n && (await isPrepaid(db, organizationId));
  const changing = blocks
    ? db.updateTable("teams").set({ status: "blocked", blockedReason: "balance" }).where("status", "=", "active")
    : db.updateTable("teams").set({ status: "active", blockedReason: null }).where("blockedReason", "=", "balance");
  const changed = await changing.where("organizationId", "=", organizationId).returning("id").execute();
  for (const { id } of changed) {
    const type = blocks ? "team.blocked" : "team.unblocked";
    await tell(db, { type, organizationId, data: { teamId: id, reason: "balance" }, atMs: at });
    await auditStore(db).insert({
      id: newId(),
      at,
      actor: "system",
      userId: null,
      action: blocks ? "team.block" : "team.unblock",
      organizationId,
      targetType: "team",
      targetId: id,
      details: { reason: "balance", balance: balance.toString() },
      address: null,
    });
  }
  return changed.map(({ id }) => id);
}

/** An invoiced organization is charged like any other, but needs no credit. */
export async function isPrepaid(db: Kysely<Tables>, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom("organizations")
    .select("billing")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  return row?.billing === "prepaid";
}
