import type { AutoTopUp, Purchase } from "./records.ts";
import type { BillingStores } from "./store.ts";

const HOUR_MS = 60 * 60 * 1000;
/** How long to wait after the first, the second and the third decline in a row; the third is the last. */
const BACK_OFF_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];
export const DECLINES_MAX = BACK_OFF_MS.length;

/** A top-up came to its end: what follows for the next one. Within the transaction that ends it, and once. */
export async function endTopUp(
  tx: BillingStores,
  { id, organizationId, kind }: Purchase,
  outcome: { readonly status: "paid" } | { readonly status: "declined"; readonly reason: string },
  now: number,
): Promise<void> {
  if (kind !== "auto_top_up") return;
  const reason = outcome.status === "declined" ? outcome.reason : null;
  if (!(await tx.topUps.endAttempt(id, outcome.status, reason, now))) return;
  const topUp = await tx.topUps.find(organizationId);
  if (!topUp) return;
  if (outcome.status === "paid") {
    await tx.topUps.update(organizationId, { declines: 0, retryAt: null, updatedAt: now });
    return;
  }
  const declines = topUp.declines + 1;
  const isOver = declines >= DECLINES_MAX;
  const retryAt = now + (BACK_OFF_MS[declines - 1] ?? 24 * HOUR_MS);
  await tx.topUps.update(organizationId, { declines, retryAt, updatedAt: now, ...(isOver ? { status: "off" } : {}) });
  const data = { purchaseId: id, reason, declines };
  const type = isOver ? "auto_top_up.disabled" : "auto_top_up.failed";
  await tx.notices.tell({ type, organizationId, data, atMs: now });
}

/** A payment is disputed: nobody charges cards any more until somebody of the organization says so again. */
export async function stopAfterDispute(tx: BillingStores, purchase: Purchase, now: number): Promise<void> {
  const topUp = await tx.topUps.find(purchase.organizationId);
  if (topUp) await stopTopUps(tx, topUp, purchase, "A payment was disputed.", now);
}

/** What was given back is not charged again by itself: where too little is left to wait for calls, somebody has to say so. */
export async function stopAfterRefund(
  tx: BillingStores,
  purchase: Purchase,
  balance: bigint,
  now: number,
): Promise<void> {
  const topUp = await tx.topUps.find(purchase.organizationId);
  if (!topUp || balance >= topUp.threshold) return;
  await stopTopUps(tx, topUp, purchase, "A refund left less than the threshold.", now);
}

async function stopTopUps(
  tx: BillingStores,
  { organizationId, status, declines }: AutoTopUp,
  { id: purchaseId }: Purchase,
  reason: string,
  now: number,
): Promise<void> {
  if (status !== "on") return;
  await tx.topUps.update(organizationId, { status: "off", updatedAt: now });
  const data = { purchaseId, reason, declines };
  await tx.notices.tell({ type: "auto_top_up.disabled", organizationId, data, atMs: now });
}
