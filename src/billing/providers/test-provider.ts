import type { Clock } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { decodeUtf8, parseJson } from "../../lib/json.ts";
import type { Purchase } from "../records.ts";
import type {
  ChargeResult,
  Checkout,
  Happening,
  PaymentEvent,
  PaymentProvider,
  ReturnUrls,
  SavedMethod,
} from "./payment-provider.ts";
import { badSignature, checkSignature, signBody } from "./signature.ts";
import { readStripeEvent } from "./stripe-event.ts";

export interface TestProviderDeps {
  readonly clock: Clock;
  /** Signs the events; never leaves the process. */
  readonly secret: string;
  /** Posts an event to the webhook route of this very process. */
  readonly send: (body: string, signature: string) => Promise<Response>;
}

/** A card that is declined whenever it is charged; any other is good. */
export const DECLINED_CARD = "pm_test_declined";
const PAYMENTS_MAX = 10_000;

/** What a payment is known by. */
type Sold = Pick<Purchase, "id" | "totalCents" | "currency">;

/**
 * Stands in for a provider where there is none: no money, no network. What happens to a payment is chosen on a page, and told
 * in Stripe's form, signed like Stripe's, to the same route. What was paid is remembered while the process lives.
 */
export class TestProvider implements PaymentProvider {
  readonly name = "test";
  readonly mode = "test";
  readonly #payments: { readonly atMs: number; readonly happening: Happening }[] = [];

  constructor(private readonly deps: TestProviderDeps) {}

  async createCheckout({ id }: Purchase, { base }: ReturnUrls): Promise<Checkout> {
    return { url: `${base}/checkout/test/${id}`, providerRef: `cs_test_${id}` };
  }

  async createSetup(methodId: string, _organizationId: string, { base }: ReturnUrls): Promise<Checkout> {
    return { url: `${base}/checkout/test/${methodId}`, providerRef: `cs_test_${methodId}` };
  }

  async verifyWebhook(headers: Headers, body: Uint8Array): Promise<readonly PaymentEvent[]> {
    let text: string;
    try {
      text = decodeUtf8(body);
    } catch (cause) {
      throw badSignature(cause);
    }
    checkSignature(text, headers.get("stripe-signature"), [this.deps.secret], this.deps.clock.nowMs());
    return [readStripeEvent(parseJson(text))];
  }

  async chargeSaved(purchase: Purchase, method: SavedMethod, _idempotencyKey: string): Promise<ChargeResult> {
    if (method.methodRef === DECLINED_CARD) return { status: "declined", reason: "The card was declined: test card." };
    this.remember(purchase);
    return { status: "paid", paymentRef: paymentRefOf(purchase.id) };
  }

  async refund(purchase: Purchase, cents: number, _idempotencyKey: string): Promise<void> {
    const refundedCents = Number(purchase.refunded / 10_000_000n) + cents;
    await this.tell("charge.refunded", chargeOf(purchase, refundedCents));
  }

  async listSince(sinceMs: number): Promise<readonly Happening[]> {
    return this.#payments.filter(({ atMs }) => atMs >= sinceMs).map(({ happening }) => happening);
  }

  /** A payment that was made, told or not. */
  remember(purchase: Sold): void {
    const happening = readStripeEvent({
      id: "evt",
      type: "checkout.session.completed",
      data: { object: sessionOf(purchase, "paid") },
    }).happening;
    this.#payments.push({ atMs: this.deps.clock.nowMs(), happening });
    if (this.#payments.length > PAYMENTS_MAX) this.#payments.shift();
  }

  /** Posts an event, as often as it is said. Whether it was taken is for the page to see. */
  async tell(type: string, object: object, times = 1): Promise<void> {
    const body = JSON.stringify({
      id: `evt_test_${newId()}`,
      object: "event",
      type,
      created: Math.floor(this.deps.clock.nowMs() / 1000),
      livemode: false,
      data: { object },
    });
    for (let i = 0; i < times; i++) {
      const response = await this.deps.send(body, signBody(body, this.deps.secret, this.deps.clock.nowMs()));
      await response.body?.cancel();
    }
  }
}

const paymentRefOf = (purchaseId: string): string => `pi_test_${purchaseId}`;

/** A checkout in Stripe's form, as it stands in an event. */
export const sessionOf = (purchase: Sold, paymentStatus: "paid" | "unpaid"): object => ({
  id: `cs_test_${purchase.id}`,
  object: "checkout.session",
  mode: "payment",
  client_reference_id: purchase.id,
  metadata: { purchaseId: purchase.id },
  payment_intent: paymentRefOf(purchase.id),
  payment_status: paymentStatus,
  amount_total: purchase.totalCents,
  currency: purchase.currency,
  livemode: false,
});

export const chargeOf = (purchase: Purchase, refundedCents: number): object => ({
  id: `ch_test_${purchase.id}`,
  object: "charge",
  payment_intent: paymentRefOf(purchase.id),
  metadata: { purchaseId: purchase.id },
  amount: purchase.totalCents,
  amount_refunded: refundedCents,
  currency: purchase.currency,
  livemode: false,
});

export const disputeOf = (purchase: Purchase, status: "needs_response" | "won" | "lost"): object => ({
  id: `dp_test_${purchase.id}`,
  object: "dispute",
  payment_intent: paymentRefOf(purchase.id),
  amount: purchase.totalCents,
  currency: purchase.currency,
  status,
  livemode: false,
});

export const setupOf = (methodId: string, methodRef: string): object => ({
  id: `seti_test_${methodId}`,
  object: "setup_intent",
  metadata: { methodId, label: methodRef === DECLINED_CARD ? "test card that is declined" : "test card" },
  customer: `cus_test_${methodId}`,
  payment_method: methodRef,
  status: "succeeded",
  livemode: false,
});
