import { fromCents } from "./amount.ts";
import { stopAfterDispute } from "./end-top-up.ts";
import {
  type Applied,
  done,
  lockPurchase,
  note,
  parked,
  purchaseOfPayment,
  type Scene,
  UnknownPurchaseError,
} from "./happening-scene.ts";
import type { DisputedHappening } from "./providers/payment-provider.ts";
import type { Purchase } from "./records.ts";

export async function applyDisputed(scene: Scene, told: DisputedHappening): Promise<Applied> {
  const { tx, provider, now } = scene;
  const found = await purchaseOfPayment(scene, told.paymentRef);
  if (!found) throw new UnknownPurchaseError("The payment that is disputed is not known.");
  const purchase = await lockPurchase(scene, found.id);
  if (told.mode !== purchase.mode || told.currency !== purchase.currency) {
    return parked(purchase, "The mode or the currency is not the purchase's.");
  }
  const known = await tx.disputes.find(provider, told.disputeId);
  if (told.isInquiry && !known) return done(purchase);
  // Taken for a dispute about nothing, it would take nothing when it is lost.
  if (told.amountCents < 0) return parked(purchase, "It does not say how much is disputed.");
  const teams: string[] = [];
  let taken = known?.amount ?? 0n;
  if (!known) {
    const left = purchase.amount - purchase.refunded - purchase.disputed;
    const asked = fromCents(told.amountCents);
    taken = asked < left ? asked : left;
    const { id: purchaseId, organizationId } = purchase;
    await tx.disputes.insert({
      provider,
      id: told.disputeId,
      purchaseId,
      organizationId,
      asked,
      amount: taken,
      status: "open",
      createdAt: now,
      closedAt: null,
    });
    teams.push(...(await postDispute(scene, purchase, told.disputeId, "opened", -taken)));
    await tx.purchases.update(purchase.id, { disputed: purchase.disputed + taken, updatedAt: now });
    // Else the card is charged again in a moment for what was just taken away.
    await stopAfterDispute(tx, purchase, now);
    await note(tx, "purchase.disputed", purchase, now, { amount: String(taken) });
  }
  if (told.outcome === null || (known && known.status !== "open")) return done(purchase, teams);
  await tx.disputes.close(provider, told.disputeId, told.outcome, now);
  if (told.outcome === "won") {
    teams.push(...(await postDispute(scene, purchase, told.disputeId, "won", taken)));
    const disputed = purchase.disputed + (known ? 0n : taken) - taken;
    await tx.purchases.update(purchase.id, { disputed, updatedAt: now });
    teams.push(...(await takeForDisputes(scene, { ...purchase, disputed }, taken, `won:${told.disputeId}`)));
  }
  await note(tx, `purchase.dispute_${told.outcome}`, purchase, now, { amount: String(taken) });
  return done(purchase, teams);
}

/**
 * Money has come back, by a refund that failed or another dispute that was won: one that came when it was away found less than
 * it is about, and takes it now. A refund may fail for that very reason.
 */
export async function takeForDisputes(
  scene: Scene,
  purchase: Purchase,
  back: bigint,
  cause: string,
): Promise<readonly string[]> {
  const { tx, now } = scene;
  const teams: string[] = [];
  let left = back;
  for (const { provider, id, asked, amount } of await tx.disputes.listStanding(purchase.id)) {
    const more = asked - amount < left ? asked - amount : left;
    if (more <= 0n) continue;
    left -= more;
    await tx.disputes.setAmount(provider, id, amount + more);
    teams.push(...(await postDispute(scene, purchase, id, `opened:${cause}`, -more)));
  }
  if (left < back) {
    await tx.purchases.update(purchase.id, { disputed: purchase.disputed + back - left, updatedAt: now });
  }
  return teams;
}

/**
 * A refund was told after disputes had taken what it gives back: they are about so much less, the last of them first, as if it
 * had been told before them.
 */
export async function easeDisputes(
  scene: Scene,
  purchase: Purchase,
  over: bigint,
  cause: string,
): Promise<readonly string[]> {
  const { tx, now } = scene;
  const teams: string[] = [];
  let left = over;
  for (const { provider, id, amount } of (await tx.disputes.listStanding(purchase.id)).toReversed()) {
    const less = amount < left ? amount : left;
    if (less <= 0n) continue;
    left -= less;
    await tx.disputes.setAmount(provider, id, amount - less);
    teams.push(...(await postDispute(scene, purchase, id, `eased:${cause}`, less)));
  }
  await tx.purchases.update(purchase.id, { disputed: purchase.disputed - over + left, updatedAt: now });
  return teams;
}

async function postDispute(
  { tx, provider, now }: Scene,
  purchase: Purchase,
  disputeId: string,
  step: "opened" | `opened:${string}` | `eased:${string}` | "won",
  amount: bigint,
): Promise<readonly string[]> {
  if (amount === 0n) return [];
  const { changedTeams } = await tx.ledger.post({
    key: `dispute:${provider}:${disputeId}:${step}`,
    kind: "dispute",
    organizationId: purchase.organizationId,
    amount,
    cash: provider,
    atMs: now,
    userId: null,
    reason: reasonOf(step),
    details: { purchaseId: purchase.id, provider, disputeId },
  });
  return changedTeams;
}

function reasonOf(step: string): string {
  if (step === "won") return "Dispute won";
  return step.startsWith("eased") ? "Refunded, and no longer disputed" : "Payment disputed";
}
