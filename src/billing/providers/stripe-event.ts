import { GatewayError } from "../../contract/errors.ts";
import { isRecord, ownField } from "../../lib/json.ts";
import type { PaymentMode } from "../records.ts";
import type { DisputedHappening, Happening, PaymentEvent } from "./payment-provider.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An event in Stripe's form: what it says of money, and nothing else of it. */
export function readStripeEvent(value: unknown): PaymentEvent {
  const event = isRecord(value) ? value : {};
  const id = textIn(event, "id");
  const type = textIn(event, "type");
  const data = ownField(event, "data");
  const object = isRecord(data) ? ownField(data, "object") : undefined;
  if (id === null || type === null || !isRecord(object)) {
    throw new GatewayError("invalid_request", "The event has no id, type or object.");
  }
  return { id, type, happening: READERS[type]?.(object, event) ?? { kind: "none" } };
}

const READERS: Readonly<Record<string, (object: Fields, event: Fields) => Happening>> = {
  "checkout.session.completed": (session) =>
    textIn(session, "payment_status") === "paid" ? paidSession(session) : { kind: "none" },
  "checkout.session.async_payment_succeeded": (session) => paidSession(session),
  "checkout.session.async_payment_failed": (session) => ({
    kind: "failed",
    purchaseId: purchaseOf(session),
    reason: "The payment did not go through.",
    final: true,
  }),
  "checkout.session.expired": (session) => ({ kind: "expired", purchaseId: purchaseOf(session) }),
  "payment_intent.succeeded": (intent) => readPaidIntent(intent),
  // In a checkout the buyer may try another card; of a saved one this is the end of the attempt.
  "payment_intent.payment_failed": (intent) => ({
    kind: "failed",
    purchaseId: purchaseOf(intent),
    reason: declineReason(intent),
    final: false,
  }),
  "charge.refunded": (charge, event) => readRefundedCharge(charge, timeOf(event)),
  "charge.refund.updated": refundUpdated,
  "refund.updated": refundUpdated,
  "refund.failed": refundUpdated,
  "charge.dispute.created": disputed,
  "charge.dispute.updated": disputed,
  // The money is gone, whatever the status says yet.
  "charge.dispute.funds_withdrawn": (dispute) => ({ ...disputed(dispute), isInquiry: false }),
  "charge.dispute.closed": (dispute) => ({ ...disputed(dispute), outcome: outcomeOf(dispute) ?? "won" }),
  "setup_intent.succeeded": (intent) => ({
    kind: "method_saved",
    methodId: textIn(metadataOf(intent), "methodId"),
    customerRef: referenceIn(intent, "customer") ?? "",
    methodRef: referenceIn(intent, "payment_method") ?? "",
    label: textIn(metadataOf(intent), "label") ?? "card",
  }),
};

function paidSession(session: Fields): Happening {
  // A checkout that only saves a card moves no money.
  if (textIn(session, "mode") === "setup") return { kind: "none" };
  return {
    kind: "paid",
    purchaseId: purchaseOf(session),
    paymentRef: referenceIn(session, "payment_intent"),
    ...money(session, "amount_total"),
  };
}

export function readPaidIntent(intent: Fields): Happening {
  return {
    kind: "paid",
    purchaseId: purchaseOf(intent),
    paymentRef: textIn(intent, "id"),
    ...money(intent, "amount_received"),
  };
}

export function readRefundedCharge(charge: Fields, atMs: number | null): Happening {
  return {
    kind: "refunded",
    purchaseId: purchaseOf(charge),
    paymentRef: referenceIn(charge, "payment_intent"),
    refundedCents: countIn(charge, "amount_refunded"),
    atMs,
    ...money(charge, "amount"),
  };
}

/** Null for one that did not fail. Of Stripe's objects this one does not say itself whether it is for play. */
export function readFailedRefund(refund: Fields, mode: PaymentMode, atMs: number | null): Happening | null {
  const status = textIn(refund, "status");
  if (status !== "failed" && status !== "canceled") return null;
  return {
    kind: "refund_failed",
    refundId: textIn(refund, "id") ?? "",
    purchaseId: purchaseOf(refund),
    paymentRef: referenceIn(refund, "payment_intent"),
    atMs,
    ...money(refund, "amount"),
    mode,
  };
}

function refundUpdated(refund: Fields, event: Fields): Happening {
  return readFailedRefund(refund, modeOf(event), timeOf(event)) ?? { kind: "none" };
}

function disputed(dispute: Fields): DisputedHappening {
  return {
    kind: "disputed",
    disputeId: textIn(dispute, "id") ?? "",
    paymentRef: referenceIn(dispute, "payment_intent"),
    isInquiry: textIn(dispute, "status")?.startsWith("warning_") ?? false,
    outcome: outcomeOf(dispute),
    ...money(dispute, "amount"),
  };
}

function outcomeOf(dispute: Fields): DisputedHappening["outcome"] {
  const status = textIn(dispute, "status");
  if (status === "won" || status === "lost") return status;
  return status === "warning_closed" ? "won" : null;
}

const money = (object: Fields, amount: string) => ({
  amountCents: countIn(object, amount),
  currency: (textIn(object, "currency") ?? "").toLowerCase(),
  mode: modeOf(object),
});

const modeOf = (object: Fields): PaymentMode => (ownField(object, "livemode") === true ? "live" : "test");

function timeOf(event: Fields): number | null {
  const seconds = countIn(event, "created");
  return seconds < 0 ? null : seconds * 1000;
}

const metadataOf = (object: Fields): Fields => {
  const metadata = ownField(object, "metadata");
  return isRecord(metadata) ? metadata : {};
};

const purchaseOf = (object: Fields): string | null =>
  textIn(object, "client_reference_id") ?? textIn(metadataOf(object), "purchaseId");

function textIn(object: Fields, name: string): string | null {
  const value = ownField(object, name);
  return typeof value === "string" && value !== "" ? value : null;
}

/** An id, or the object itself where Stripe was asked to put it there. */
function referenceIn(object: Fields, name: string): string | null {
  const value = ownField(object, name);
  return isRecord(value) ? textIn(value, "id") : textIn(object, name);
}

/** -1 for what is no count: it equals no amount of ours. */
function countIn(object: Fields, name: string): number {
  const value = ownField(object, name);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : -1;
}

function declineReason(intent: Fields): string {
  const error = ownField(intent, "last_payment_error");
  const reason = isRecord(error) ? (textIn(error, "decline_code") ?? textIn(error, "code")) : null;
  return reason === null ? "The card was declined." : `The card was declined: ${reason}.`;
}
