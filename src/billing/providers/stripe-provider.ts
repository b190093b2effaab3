import type Stripe from "stripe";
import { GatewayError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { PaymentMode, Purchase } from "../records.ts";
import type {
  ChargeResult,
  Checkout,
  Happening,
  PaymentEvent,
  PaymentProvider,
  ReturnUrls,
  SavedMethod,
} from "./payment-provider.ts";
import { badSignature, TOLERANCE_MS } from "./signature.ts";
import { readFailedRefund, readPaidIntent, readRefundedCharge, readStripeEvent } from "./stripe-event.ts";

export interface StripeSettings {
  readonly secretKey: string;
  /** Several while one takes the place of another. */
  readonly webhookSecrets: readonly string[];
  /** Null: Stripe's own. */
  readonly apiBase: string | null;
}

const TIMEOUT_MS = 20_000;
const RETRIES = 2;
const PRODUCT = "Credits";

/** Stripe takes the money; our books are the ones that count. Its package is loaded when it is first needed. */
export class StripeProvider implements PaymentProvider {
  readonly name = "stripe";
  readonly mode: PaymentMode;
  #client: Promise<Stripe> | null = null;

  constructor(
    private readonly settings: StripeSettings,
    private readonly clock: Clock,
  ) {
    this.mode = /^[sr]k_live_/.test(settings.secretKey) ? "live" : "test";
  }

  async createCheckout(purchase: Purchase, urls: ReturnUrls): Promise<Checkout> {
    const metadata = { purchaseId: purchase.id, organizationId: purchase.organizationId };
    const session = await this.#ask((stripe) =>
      stripe.checkout.sessions.create(
        {
          mode: "payment",
          client_reference_id: purchase.id,
          metadata,
          payment_intent_data: { metadata },
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: purchase.currency,
                unit_amount: purchase.totalCents,
                product_data: { name: PRODUCT },
              },
            },
          ],
          success_url: urls.success,
          cancel_url: urls.cancel,
          expires_at: Math.floor(purchase.expiresAt / 1000),
        },
        { idempotencyKey: purchase.id },
      ),
    );
    return checkoutOf(session);
  }

  async createSetup(methodId: string, organizationId: string, urls: ReturnUrls): Promise<Checkout> {
    const metadata = { methodId, organizationId };
    const customer = await this.#ask((stripe) =>
      stripe.customers.create({ metadata: { organizationId } }, { idempotencyKey: `customer:${methodId}` }),
    );
    const session = await this.#ask((stripe) =>
      stripe.checkout.sessions.create(
        {
          mode: "setup",
          currency: "usd",
          customer: customer.id,
          metadata,
          setup_intent_data: { metadata },
          success_url: urls.success,
          cancel_url: urls.cancel,
        },
        { idempotencyKey: `setup:${methodId}` },
      ),
    );
    return checkoutOf(session);
  }

  async verifyWebhook(headers: Headers, body: Uint8Array): Promise<readonly PaymentEvent[]> {
    const header = headers.get("stripe-signature") ?? "";
    const { webhooks } = await this.#load();
    const text = Buffer.from(body);
    let failure: unknown;
    for (const secret of this.settings.webhookSecrets) {
      try {
        const event = await webhooks.constructEventAsync(
          text,
          header,
          secret,
          TOLERANCE_MS / 1000,
          undefined,
          this.clock.nowMs(),
        );
        return [readStripeEvent(event)];
      } catch (thrown) {
        if (thrown instanceof GatewayError) throw thrown;
        failure = thrown;
      }
    }
    throw badSignature(failure);
  }

  async chargeSaved(purchase: Purchase, method: SavedMethod, idempotencyKey: string): Promise<ChargeResult> {
    try {
      const intent = await this.#ask((stripe) =>
        stripe.paymentIntents.create(
          {
            amount: purchase.totalCents,
            currency: purchase.currency,
            customer: method.customerRef,
            payment_method: method.methodRef,
            off_session: true,
            confirm: true,
            metadata: { purchaseId: purchase.id, organizationId: purchase.organizationId },
          },
          { idempotencyKey },
        ),
      );
      return intent.status === "succeeded"
        ? { status: "paid", paymentRef: intent.id }
        : { status: "pending", paymentRef: intent.id };
    } catch (thrown) {
      const cause = thrown instanceof GatewayError ? thrown.cause : thrown;
      if (!isCardError(cause)) throw thrown;
      return {
        status: "declined",
        reason: `The card was declined: ${cause.decline_code ?? cause.code ?? "no reason"}.`,
      };
    }
  }

  async refund(purchase: Purchase, cents: number, idempotencyKey: string): Promise<void> {
    const { paymentRef } = purchase;
    if (paymentRef === null) throw new GatewayError("conflict", "The payment of this purchase is not known.");
    const metadata = { purchaseId: purchase.id };
    await this.#ask((stripe) =>
      stripe.refunds.create({ payment_intent: paymentRef, amount: cents, metadata }, { idempotencyKey }),
    );
  }

  async listSince(sinceMs: number): Promise<readonly Happening[]> {
    const created = { gte: Math.floor(sinceMs / 1000) };
    const nowMs = this.clock.nowMs();
    return this.#ask(async (stripe) => {
      const found: Happening[] = [];
      for await (const intent of stripe.paymentIntents.list({ created, limit: 100 })) {
        if (intent.status === "succeeded") found.push(readPaidIntent({ ...intent }));
      }
      const charges = new Map<string, Stripe.Charge>();
      // Before the charges, and earlier: what failed is not in what they say has gone back. What goes back these days may have
      // been paid long ago, so that no list of the charges of these days has it.
      for await (const refund of stripe.refunds.list({ created, limit: 100, expand: ["data.charge"] })) {
        const { charge } = refund;
        if (charge !== null && typeof charge === "object") charges.set(charge.id, charge);
        const failed = readFailedRefund({ ...refund }, this.mode, nowMs - 1);
        if (failed) found.push(failed);
      }
      for await (const charge of stripe.charges.list({ created, limit: 100 })) charges.set(charge.id, charge);
      for (const charge of charges.values()) {
        if (charge.amount_refunded > 0) found.push(readRefundedCharge({ ...charge }, nowMs));
      }
      return found;
    });
  }

  /** What fails on the way is an error of ours that says no more than that. */
  async #ask<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#load());
    } catch (cause) {
      throw new GatewayError("upstream", "The payment provider does not answer as it should; try again.", { cause });
    }
  }

  #load(): Promise<Stripe> {
    this.#client ??= import("stripe").then(({ default: Client }) => {
      const base = this.settings.apiBase === null ? null : new URL(this.settings.apiBase);
      return new Client(this.settings.secretKey, {
        timeout: TIMEOUT_MS,
        maxNetworkRetries: RETRIES,
        telemetry: false,
        ...(base === null
          ? {}
          : {
              protocol: base.protocol === "http:" ? "http" : "https",
              host: base.hostname,
              port: base.port === "" ? (base.protocol === "http:" ? 80 : 443) : Number(base.port),
            }),
      });
    });
    return this.#client;
  }
}

function checkoutOf({ id, url }: Stripe.Checkout.Session): Checkout {
  if (url === null) throw new GatewayError("upstream", "The payment provider gave no page to pay on.");
  return { url, providerRef: id };
}

const isCardError = (thrown: unknown): thrown is { readonly decline_code?: string; readonly code?: string } =>
  thrown instanceof Error && "type" in thrown && thrown.type === "StripeCardError";
