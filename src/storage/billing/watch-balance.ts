import { type Kysely, sql } from "kysely";
import { windowAt } from "../../ledger/budget-window.ts";
import { jsonRows } from "../json-rows.ts";
import { isPrepaid } from "../ledger/team-blocks.ts";
import { statement } from "../statement.ts";
import { StatementBatch } from "../statement-batch.ts";
import type { Tables } from "../tables.ts";
import { tell } from "./notices.ts";

/** Nothing left is a threshold that everybody has: below one nano-USD. */
const DEPLETED = 1n;

/**
 * Tells that a balance fell below a threshold, once until it has been above it again. To be called in every transaction that
 * moves a wallet, after it has: the wallet's row is locked there, so that of two that race only one sees the crossing.
 */
export async function watchBalance(
  db: Kysely<Tables>,
  organizationId: string,
  balance: bigint,
  atMs: number,
): Promise<void> {
  const together = new StatementBatch();
  const alerts = queueAlerts(together, [organizationId]);
  await together.run(db);
  await compareBalance(db, organizationId, balance, alerts(organizationId), atMs);
}

type Alert = Tables["balanceAlerts"];

/** The thresholds of organizations, to be compared with their balances once those have moved. */
export function queueAlerts(
  together: StatementBatch,
  organizationIds: readonly string[],
): (organizationId: string) => readonly Alert[] {
  if (organizationIds.length === 0) return () => [];
  const names = organizationIds.map((id) => ({ id }));
  const found = together.add(statement<Alert>`
    select a.organization_id, a.threshold, a.fired_at
    from ${jsonRows(NAME_COLUMNS, names)} join balance_alerts a on a.organization_id = r.id`);
  let byOrganization: ReadonlyMap<string, readonly Alert[]> | null = null;
  return (organizationId) => {
    byOrganization ??= Map.groupBy(found(), (alert) => alert.organizationId);
    return byOrganization.get(organizationId) ?? [];
  };
}

const NAME_COLUMNS = { id: "text" } as const;

/** The second half of `watchBalance`. */
export async function compareBalance(
  db: Kysely<Tables>,
  organizationId: string,
  balance: bigint,
  alerts: readonly Alert[],
  atMs: number,
): Promise<void> {
  const crossed = alerts.filter(({ threshold, firedAt }) => firedAt === null && balance < threshold);
  const recovered = alerts.filter(({ threshold, firedAt }) => firedAt !== null && balance >= threshold);
  for (const [rows, firedAt] of [
    [crossed, atMs],
    [recovered, null],
  ] as const) {
    if (rows.length === 0) continue;
    const thresholds = rows.map(({ threshold }) => threshold);
    await db
      .updateTable("balanceAlerts")
      .set({ firedAt })
      .where("organizationId", "=", organizationId)
      .where("threshold", "in", thresholds)
      .execute();
  }
  const isNewlyEmpty = balance < DEPLETED && !alerts.some(({ threshold }) => threshold === DEPLETED);
  if (isNewlyEmpty) {
    await db.insertInto("balanceAlerts").values({ organizationId, threshold: DEPLETED, firedAt: atMs }).execute();
  }
  if (!isNewlyEmpty && crossed.length === 0) return;
  // An invoiced organization needs no credit.
  if (!(await isPrepaid(db, organizationId))) return;
  const data = { balance: String(balance) };
  if (isNewlyEmpty || crossed.some(({ threshold }) => threshold === DEPLETED)) {
    await tell(db, { type: "balance.depleted", organizationId, data, atMs });
    return;
  }
  // Of several that are crossed at once the lowest says it all.
  const lowest = crossed.map(({ threshold }) => threshold).sort((a, b) => (a < b ? -1 : 1))[0];
  if (lowest === undefined || (await isRefilled(db, organizationId, atMs))) return;
  await tell(db, { type: "balance.low", organizationId, data: { ...data, threshold: String(lowest) }, atMs });
}

/** Where the balance is about to be topped up by itself there is nothing to worry about. */
async function isRefilled(db: Kysely<Tables>, organizationId: string, atMs: number): Promise<boolean> {
  const healthy = await db
    .selectFrom("autoTopUps as topUp")
    .innerJoin("paymentMethods as method", "method.organizationId", "topUp.organizationId")
    .select(["topUp.amount", "topUp.monthlyCap"])
    .where("topUp.organizationId", "=", organizationId)
    .where("topUp.status", "=", "on")
    .where("topUp.declines", "=", 0)
    .where("method.status", "=", "active")
    .executeTakeFirst();
  if (healthy === undefined) return false;
  const { amount, monthlyCap } = healthy;
  if (monthlyCap === null) return true;
  // One that is being charged refills the balance, too: only what was paid is gone from the month's cap.
  const { paid } = await db
    .selectFrom("topUpAttempts")
    .select(sql<bigint>`coalesce(sum(amount), 0)`.as("paid"))
    .where("organizationId", "=", organizationId)
    .where("status", "=", "paid")
    .where("createdAt", ">=", windowAt("month", "UTC", atMs).startMs)
    .executeTakeFirstOrThrow();
  return paid + amount <= monthlyCap;
}
