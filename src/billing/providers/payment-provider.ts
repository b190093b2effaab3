import type { PaymentMode, Purchase } from "../records.ts";

/** Where the buyer's browser goes afterwards. Coming back proves nothing: only an event credits. */
export interface ReturnUrls {
  /** Where people reach this installation, without a slash at the end. */
  readonly base: string;
  readonly success: string;
  readonly cancel: string;
}

export interface Checkout {
  readonly url: string;
  readonly providerRef: string;
}

/** What somebody has saved to be charged later without being there. */
export interface SavedMethod {
  readonly id: string;
  readonly customerRef: string;
  readonly methodRef: string;
}

export type ChargeResult =
  | { readonly status: "paid"; readonly paymentRef: string }
  /** The provider tells the outcome by an event. */
  | { readonly status: "pending"; readonly paymentRef: string | null }
  | { readonly status: "declined"; readonly reason: string };

/** What money did, told in a provider's event or in its lists, in one form for all providers. */
export type Happening =
  | PaidHappening
  | { readonly kind: "failed"; readonly purchaseId: string | null; readonly reason: string; readonly final: boolean }
  | { readonly kind: "expired"; readonly purchaseId: string | null }
  | RefundedHappening
  | RefundFailedHappening
  | DisputedHappening
  | {
      readonly kind: "method_saved";
      readonly methodId: string | null;
      readonly customerRef: string;
      readonly methodRef: string;
      readonly label: string;
    }
  | { readonly kind: "none" };

interface Money {
  readonly amountCents: number;
  readonly currency: string;
  readonly mode: PaymentMode;
}

export interface PaidHappening extends Money {
  readonly kind: "paid";
  readonly purchaseId: string | null;
  readonly paymentRef: string | null;
}

export interface RefundedHappening extends Money {
  readonly kind: "refunded";
  readonly purchaseId: string | null;
  readonly paymentRef: string | null;
  /** All that had gone back by then, not only this time. */
  readonly refundedCents: number;
  /** When that was, by the provider's clock; null for now. */
  readonly atMs: number | null;
}

export interface RefundFailedHappening extends Money {
  readonly kind: "refund_failed";
  readonly refundId: string;
  readonly purchaseId: string | null;
  readonly paymentRef: string | null;
  readonly atMs: number | null;
}

export interface DisputedHappening extends Money {
  readonly kind: "disputed";
  readonly disputeId: string;
  readonly paymentRef: string | null;
  /** Somebody only asks about the payment: no money has been taken. It may become a dispute under the same id. */
  readonly isInquiry: boolean;
  /** Null while it is open. */
  readonly outcome: "won" | "lost" | null;
}

export interface PaymentEvent {
  readonly id: string;
  /** As the provider calls it. */
  readonly type: string;
  readonly happening: Happening;
}

/** Somebody who takes money for us. The keys make a call that is repeated the same call. */
export interface PaymentProvider {
  readonly name: string;
  readonly mode: PaymentMode;
  createCheckout(purchase: Purchase, urls: ReturnUrls): Promise<Checkout>;
  /** A page on which somebody saves a means of payment; `methodId` comes back with the event. */
  createSetup(methodId: string, organizationId: string, urls: ReturnUrls): Promise<Checkout>;
  /** The events of a call that the provider made. Throws `invalid_request` for one that it did not sign, or too long ago. */
  verifyWebhook(headers: Headers, body: Uint8Array): Promise<readonly PaymentEvent[]>;
  chargeSaved(purchase: Purchase, method: SavedMethod, idempotencyKey: string): Promise<ChargeResult>;
  refund(purchase: Purchase, cents: number, idempotencyKey: string): Promise<void>;
  /** What was paid and given back since then, as its own books have it. */
  listSince(sinceMs: number): Promise<readonly Happening[]>;
}
