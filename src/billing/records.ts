/** Whether money moves or is only played with. */
export type PaymentMode = "test" | "live";

const PURCHASE_STATUSES = ["pending", "paid", "failed", "expired", "refunded"] as const;
export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/** One buying of credits. Its amounts are fixed when it is made; nothing that a provider tells later changes them. */
export interface Purchase {
  readonly id: string;
  readonly organizationId: string;
  /** Who bought; null where nobody did, as when a balance is topped up by itself. */
  readonly userId: number | null;
  readonly kind: "checkout" | "auto_top_up";
  /** The credits, in nano-USD. */
  readonly amount: bigint;
  /** The price, in the smallest unit of the currency. */
  readonly totalCents: number;
  readonly currency: string;
  readonly status: PurchaseStatus;
  readonly provider: string;
  readonly mode: PaymentMode;
  /** What the provider calls the checkout, and the payment that came of it. */
  readonly providerRef: string | null;
  readonly paymentRef: string | null;
  readonly checkoutUrl: string | null;
  /** How much of the amount went back, and how much is or was disputed and not won, in nano-USD. */
  readonly refunded: bigint;
  readonly disputed: bigint;
  readonly failure: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  readonly paidAt: number | null;
}

export interface Dispute {
  readonly provider: string;
  readonly id: string;
  readonly purchaseId: string;
  readonly organizationId: string;
  /** What it is about. */
  readonly asked: bigint;
  /** What was taken from the wallet for it: no more than was left of the purchase. */
  readonly amount: bigint;
  readonly status: "open" | "won" | "lost";
  readonly createdAt: number;
  readonly closedAt: number | null;
}

/** Money that was given back and did not arrive. */
export interface FailedRefund {
  readonly provider: string;
  readonly id: string;
  readonly purchaseId: string;
  readonly amount: bigint;
  /** By the provider's clock. */
  readonly failedAt: number;
}

export const EVENT_STATUSES = ["received", "done", "ignored", "failed", "parked"] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** An event of a payment provider. Only one that is `done` is a duplicate when it comes again. */
export interface StoredEvent {
  readonly provider: string;
  readonly id: string;
  readonly type: string;
  readonly status: EventStatus;
  readonly purchaseId: string | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly firstSeenAt: number;
  readonly updatedAt: number;
}

/** A code that is worth credits, once. */
export interface Voucher {
  readonly id: string;
  readonly hash: string;
  readonly last4: string;
  readonly amount: bigint;
  readonly note: string | null;
  readonly expiresAt: number | null;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  readonly redeemedAt: number | null;
  readonly redeemedBy: number | null;
  /** Whose wallet it went into. */
  readonly organizationId: string | null;
}

/** At what shares of a budget an organization is told that has not chosen others. */
export const BUDGET_PERCENTS: readonly number[] = [50, 80, 95, 100];

/** Where an organization wants to be told. Its secret is not kept: it is made of the root secret, the id and the version. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly description: string | null;
  /** Types of notices; an empty list means all. */
  readonly events: readonly string[];
  readonly status: "active" | "disabled";
  readonly secretVersion: number;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One notice for one endpoint. `failed` is tried again until the outbox gives up. */
export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly organizationId: string;
  readonly eventId: string;
  readonly type: string;
  /** The body, as it is signed and sent. */
  readonly payload: string;
  readonly status: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A delivery, and when it is tried next; null where it is not. */
export interface ListedDelivery extends WebhookDelivery {
  readonly nextAttemptAt: number | null;
}

/** A balance below the threshold is told about once, until it has been at or above it again. */
export interface BalanceAlert {
  readonly organizationId: string;
  readonly threshold: bigint;
  readonly firedAt: number | null;
}

/** A means of payment that may be charged when nobody is there. */
export interface PaymentMethod {
  readonly id: string;
  readonly organizationId: string;
  readonly provider: string;
  readonly mode: PaymentMode;
  readonly status: "pending" | "active" | "removed";
  readonly customerRef: string | null;
  readonly methodRef: string | null;
  readonly label: string | null;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface AutoTopUp {
  readonly organizationId: string;
  readonly status: "on" | "off";
  /** A balance below this is topped up by `amount`. */
  readonly threshold: bigint;
  readonly amount: bigint;
  readonly monthlyCap: bigint | null;
  /** In a row. */
  readonly declines: number;
  /** Counts attempts: each has a key of its own with the provider. */
  readonly epoch: number;
  /** Not before this, after a decline. */
  readonly retryAt: number | null;
  readonly updatedAt: number;
}

export interface TopUpAttempt {
  readonly purchaseId: string;
  readonly organizationId: string;
  readonly epoch: number;
  readonly amount: bigint;
  readonly status: "open" | "paid" | "declined";
  readonly error: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}
