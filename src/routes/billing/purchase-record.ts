import type { Purchase } from "../../billing/records.ts";
import { formatUsd } from "../../contract/money.ts";
import type { PurchaseRecord } from "../../contract/purchases.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";

/** Field by field: what the provider calls things stays with us. */
export const purchaseRecord = (purchase: Purchase): PurchaseRecord => ({
  id: purchase.id,
  organizationId: purchase.organizationId,
  userId: purchase.userId,
  kind: purchase.kind,
  amount: Number(purchase.amount),
  amountUsd: formatUsd(purchase.amount),
  totalCents: purchase.totalCents,
  currency: purchase.currency,
  status: purchase.status,
  provider: purchase.provider,
  mode: purchase.mode,
  checkoutUrl: purchase.status === "pending" ? purchase.checkoutUrl : null,
  receiptUrl: purchase.paidAt === null ? null : `/api/billing/purchases/${purchase.id}/receipt`,
  refunded: Number(purchase.refunded),
  refundedUsd: formatUsd(purchase.refunded),
  disputed: Number(purchase.disputed),
  failure: purchase.failure,
  createdAt: isoTime(purchase.createdAt),
  expiresAt: isoTime(purchase.expiresAt),
  paidAt: isoTimeOrNull(purchase.paidAt),
});
