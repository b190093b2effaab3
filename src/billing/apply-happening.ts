import { fromCents, toCents } from "./amount.ts";
import { applyDisputed, easeDisputes, takeForDisputes } from "./apply-dispute.ts";
import { endTopUp, stopAfterRefund } from "./end-top-up.ts";
import {
  type Applied,
  done,
  ignored,
  lockPurchase,
  note,
  parked,
  purchaseOfPayment,
  type Scene,
} from "./happening-scene.ts";
import type {
  Happening,
  PaidHappening,
  RefundedHappening,
  RefundFailedHappening,
} from "./providers/payment-provider.ts";
import type { FailedRefund, Purchase } from "./records.ts";
import { refundKey } from "./refund-key.ts";
import type { BillingStores } from "./store.ts";

/**
 * What a provider tells, put into purchases and books, within a transaction of the caller. Told twice, late or in another
 * order, it comes to the same.
 */
export async function applyHappening(
  tx: BillingStores,
  provider: string,
  happening: Happening,
  now: number,
): Promise<Applied> {
  const scene: Scene = { tx, provider, now };
  switch (happening.kind) {
    case "paid":
      return applyPaid(scene, happening);
    case "failed":
    case "expired":
      return applyUnpaid(scene, happening);
    case "refunded":
      return applyRefunded(scene, happening);
    case "refund_failed":
      return applyRefundFailed(scene, happening);
    case "disputed":
      return applyDisputed(scene, happening);
    case "method_saved":
      return applyMethodSaved(scene, happening);
    default:
      return ignored();
  }
}

async function applyPaid(scene: Scene, told: PaidHappening): Promise<Applied> {
  if (told.purchaseId === null) return ignored();
  const purchase = await lockPurchase(scene, told.purchaseId);
  const wrong = mismatch(scene, purchase, told);
  if (wrong) return parked(purchase, wrong);
  if (!isPaid(purchase)) {
    const unblocked = await credit(scene, purchase, told.paymentRef);
    return (await scene.tx.purchases.isAbandoned(purchase)) ? parked(purchase, ABANDONED) : done(purchase, unblocked);
  }
  if (isOtherPayment(purchase, told)) return parked(purchase, "It was paid before, by another payment.");
  // Refunds and disputes may know the payment alone.
  if (purchase.paymentRef === null && told.paymentRef !== null) {
    await scene.tx.purchases.update(purchase.id, { paymentRef: told.paymentRef, updatedAt: scene.now });
  }
  return done(purchase);
}

/** One buys once: money that came a second time is not what the credits were given for, and goes back without them. */
const isOtherPayment = ({ paymentRef }: Purchase, told: { readonly paymentRef: string | null }): boolean =>
  paymentRef !== null && told.paymentRef !== null && paymentRef !== told.paymentRef;

const ABANDONED =
  "The organization was removed before this was paid. The credit is in its books, where nobody can use it: give the purchase back.";
const OTHER_PAYMENT = "It is of another payment than the one that paid the purchase.";

const isPaid = ({ status }: Purchase): boolean => status === "paid" || status === "refunded";

/** Whatever the purchase was thought to be: money has arrived. Gives the teams that it unblocked. */
async function credit(
  { tx, provider, now }: Scene,
  purchase: Purchase,
  paymentRef: string | null,
): Promise<readonly string[]> {
  const { id, organizationId, amount, userId } = purchase;
  await tx.purchases.update(id, { status: "paid", paidAt: now, paymentRef, failure: null, updatedAt: now });
  const { changedTeams } = await tx.ledger.post({
    key: `topup:${id}`,
    kind: "topup",
    organizationId,
    amount,
    cash: provider,
    atMs: now,
    userId,
    reason: purchase.kind === "auto_top_up" ? "Automatic top-up" : "Credits bought",
    details: { purchaseId: id, provider, totalCents: purchase.totalCents, currency: purchase.currency },
  });
  await endTopUp(tx, purchase, { status: "paid" }, now);
  await note(tx, "purchase.paid", purchase, now, { amount: String(amount) });
  return changedTeams;
}

async function applyUnpaid(scene: Scene, told: Extract<Happening, { kind: "failed" | "expired" }>): Promise<Applied> {
  if (told.purchaseId === null) return ignored();
  const { tx, now } = scene;
  const purchase = await lockPurchase(scene, told.purchaseId);
  if (purchase.provider !== scene.provider) return parked(purchase, "The purchase is of another provider.");
  const isOver = told.kind === "expired" || told.final || purchase.kind === "auto_top_up";
  if (purchase.status !== "pending" || !isOver) return done(purchase);
  const status = told.kind;
  await tx.purchases.update(purchase.id, {
    status,
    failure: told.kind === "failed" ? told.reason : null,
    updatedAt: now,
  });
  if (told.kind === "failed") await endTopUp(tx, purchase, { status: "declined", reason: told.reason }, now);
  await note(tx, `purchase.${status}`, purchase, now, {});
  return done(purchase);
}

async function applyRefunded(scene: Scene, told: RefundedHappening): Promise<Applied> {
  const { tx, provider, now } = scene;
  const known = told.purchaseId ?? (await purchaseOfPayment(scene, told.paymentRef))?.id ?? null;
  // What we sell carries our id; a charge without it is none of ours.
  if (known === null) return ignored();
  const purchase = await lockPurchase(scene, known);
  const wrong = mismatch(scene, purchase, told) ?? (isOtherPayment(purchase, told) ? OTHER_PAYMENT : null);
  if (wrong) return parked(purchase, wrong);
  const failures = await tx.failedRefunds.list(purchase.id);
  const whole = standing(told, failures);
  const more = whole - purchase.refunded;
  if (more <= 0n) return done(purchase);
  if (whole > purchase.amount) return parked(purchase, "More would go back than was bought.");
  // What goes back has been paid, even if we are told of that later.
  const unblocked = isPaid(purchase) ? [] : await credit(scene, purchase, told.paymentRef);
  const key = refundKey(purchase.id, toCents(whole), failures.length);
  // Before the refund is taken: in between the wallet would hold less than it ever did.
  const over = whole + purchase.disputed - purchase.amount;
  const eased = over > 0n ? await easeDisputes(scene, purchase, over, key) : [];
  const { changedTeams, balance } = await tx.ledger.post({
    key,
    kind: "refund",
    organizationId: purchase.organizationId,
    amount: -more,
    cash: provider,
    atMs: now,
    userId: null,
    reason: "Purchase refunded",
    details: { purchaseId: purchase.id, provider, refundedCents: toCents(whole) },
  });
  const status = whole === purchase.amount ? "refunded" : "paid";
  await tx.purchases.update(purchase.id, { status, refunded: whole, updatedAt: now });
  await stopAfterRefund(tx, purchase, balance, now);
  await note(tx, "purchase.refunded", purchase, now, { amount: String(more) });
  return done(purchase, [...unblocked, ...eased, ...changedTeams]);
}

/** What of a refund still stands: one that failed later is in what had gone back by then. */
function standing({ refundedCents, atMs }: RefundedHappening, failures: readonly FailedRefund[]): bigint {
  const failedSince = failures.filter(({ failedAt }) => atMs !== null && failedAt >= atMs);
  return failedSince.reduce((sum, { amount }) => sum - amount, fromCents(refundedCents));
}

/** The money came back to the provider's account, so the credit comes back to the wallet. */
async function applyRefundFailed(scene: Scene, told: RefundFailedHappening): Promise<Applied> {
  const { tx, provider, now } = scene;
  const known = told.purchaseId ?? (await purchaseOfPayment(scene, told.paymentRef))?.id ?? null;
  if (known === null) return ignored();
  const purchase = await lockPurchase(scene, known);
  const wrong = otherMoney(scene, purchase, told) ?? (isOtherPayment(purchase, told) ? OTHER_PAYMENT : null);
  if (wrong) return parked(purchase, wrong);
  if (told.amountCents < 0 || told.refundId === "") return parked(purchase, "It does not say what failed.");
  const failures = await tx.failedRefunds.list(purchase.id);
  if (failures.some(({ id }) => id === told.refundId)) return done(purchase);
  const { id: purchaseId, organizationId, refunded } = purchase;
  const failed: FailedRefund = {
    provider,
    id: told.refundId,
    purchaseId,
    amount: fromCents(told.amountCents),
    failedAt: told.atMs ?? now,
  };
  await tx.failedRefunds.insert(failed);
  // Told late: it is not in what has gone back since, whatever was thought then.
  const since = await lastRefundAfter(scene, failed);
  const left = since === null ? refunded - failed.amount : standing(since, [...failures, failed]);
  // Where the refund itself has not been told of yet, nothing was taken for it, and nothing will be.
  const back = left > 0n ? refunded - left : refunded;
  if (back <= 0n) return done(purchase);
  const { changedTeams } = await tx.ledger.post({
    key: `refund:${purchaseId}:failed:${told.refundId}`,
    kind: "refund",
    organizationId,
    amount: back,
    cash: provider,
    atMs: now,
    userId: null,
    reason: "Refund failed",
    details: { purchaseId, provider, refundId: told.refundId },
  });
  await tx.purchases.update(purchaseId, { status: "paid", refunded: refunded - back, updatedAt: now });
  await note(tx, "purchase.refund_failed", purchase, now, { amount: String(back) });
  return done(purchase, [...changedTeams, ...(await takeForDisputes(scene, purchase, back, told.refundId))]);
}

async function lastRefundAfter(
  { tx, provider }: Scene,
  { purchaseId, failedAt }: FailedRefund,
): Promise<RefundedHappening | null> {
  const told = await tx.events.listDone(provider, purchaseId, failedAt);
  const later = told.filter((one) => one.kind === "refunded" && (one.atMs ?? 0) > failedAt) as RefundedHappening[];
  later.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0) || a.refundedCents - b.refundedCents);
  return later.at(-1) ?? null;
}

type Told = Pick<PaidHappening, "amountCents" | "currency" | "mode">;

function mismatch(scene: Scene, purchase: Purchase, told: Told): string | null {
  const other = otherMoney(scene, purchase, told);
  if (other !== null || purchase.totalCents === told.amountCents) return other;
  return `The amount is ${told.amountCents}, the purchase's ${purchase.totalCents}.`;
}

function otherMoney({ provider }: Scene, purchase: Purchase, told: Omit<Told, "amountCents">): string | null {
  if (purchase.provider !== provider) return "The purchase is of another provider.";
  if (purchase.mode !== told.mode) return `The purchase is in ${purchase.mode} mode, the payment in ${told.mode} mode.`;
  return purchase.currency === told.currency ? null : `The currency is not ${purchase.currency}.`;
}

/** Somebody has saved a means of payment; it takes the place of the one before. */
async function applyMethodSaved(
  { tx, provider, now }: Scene,
  { methodId, customerRef, methodRef, label }: Extract<Happening, { kind: "method_saved" }>,
): Promise<Applied> {
  const method = methodId === null ? null : await tx.methods.find(methodId);
  if (!method || method.provider !== provider || method.status !== "pending" || methodRef === "") return ignored();
  await tx.methods.activate(method, { customerRef, methodRef, label }, now);
  const { id: targetId, organizationId } = method;
  const saved = { action: "payment_method.save", organizationId, targetType: "payment_method", targetId, by: null };
  await tx.audit.note(saved, now);
  return { ...ignored(), status: "done" };
}
