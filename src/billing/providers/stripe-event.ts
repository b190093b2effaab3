import { GatewayError } from "../../contract/errors.ts";
import { isRecord, ownField } from "../../lib/json.ts";
import type { PaymentMode } from "../records.ts";
import type { Happening, PaymentEvent } from "./payment-provider.ts";

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
  return { id, type, happening: READERS[type]?.(object) ?? { kind: "none" } };
}

const READERS: Readonly<Record<string, (object: Fields) => Happening>> = {
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
  "payment_intent.succeeded": readPaidIntent,
  // In a checkout the buyer may try another card; of a saved one this is the end of the attempt.
  "payment_intent.payment_failed": (intent) => ({
    kind: "failed",
    purchaseId: purchaseOf(intent),
    reason: declineReason(intent),
    final: false,
  }),
  "charge.refunded": readRefundedCharge,
  "charge.dispute.created": (dispute) => disputed(dispute, null),
  "charge.dispute.closed": (dispute) => disputed(dispute, textIn(dispute, "status") === "lost" ? "lost" : "won"),
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

export function readRefundedCharge(charge: Fields): Happening {
  return {
    kind: "refunded",
    purchaseId: purchaseOf(charge),
    paymentRef: referenceIn(charge, "payment_intent"),
    refundedCents: countIn(charge, "amount_refunded"),
    ...money(charge, "amount"),
  };
}

const disputed = (dispute: Fields, outcome: "won" | "lost" | null): Happening => ({
  kind: "disputed",
  disputeId: textIn(dispute, "id") ?? "",
  paymentRef: referenceIn(dispute, "payment_intent"),
  outcome,
  ...money(dispute, "amount"),
});

const money = (object: Fields, amount: string) => ({
  amountCents: countIn(object, amount),
  currency: (textIn(object, "currency") ?? "").toLowerCase(),
  mode: (ownField(object, "livemode") === true ? "live" : "test") satisfies PaymentMode as PaymentMode,
});

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
