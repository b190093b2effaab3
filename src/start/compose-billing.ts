import { activeOrganization, requireOrganization } from "../accounts/access.ts";
import type { AccountStores } from "../accounts/store.ts";
import { Alerts } from "../billing/alerts.ts";
import { AutoTopUps } from "../billing/auto-top-up.ts";
import type { BillingAccess } from "../billing/billing-access.ts";
import { EndpointRests } from "../billing/endpoint-rests.ts";
import { tellOfExpiringKeys } from "../billing/expiring-keys.ts";
import { PaymentWebhooks } from "../billing/payment-webhooks.ts";
import type { PaymentProvider } from "../billing/providers/payment-provider.ts";
import { StripeProvider } from "../billing/providers/stripe-provider.ts";
import { TestProvider } from "../billing/providers/test-provider.ts";
import { Purchases } from "../billing/purchases.ts";
import { Reconciliation } from "../billing/reconciliation.ts";
import { Statements } from "../billing/statements.ts";
import type { BillingStores } from "../billing/store.ts";
import { TestCheckout } from "../billing/test-checkout.ts";
import { Vouchers } from "../billing/vouchers.ts";
import { WebhookEndpoints } from "../billing/webhook-endpoints.ts";
import type { PaymentConfig } from "../config/config.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Route } from "../http/route.ts";
import { windowAt } from "../ledger/budget-window.ts";
import type { Clock } from "../lib/clock.ts";
import { hmacHex } from "../lib/hmac.ts";
import type { Logger } from "../lib/log.ts";
import { Mailer, type MailServer } from "../mail/mailer.ts";
import type { Deliverer } from "../outbox/outbox.ts";
import type { Transport } from "../providers/transport.ts";
import { baseUrlOf } from "../routes/billing/base-url.ts";
import { purchaseRoutes } from "../routes/billing/purchase-routes.ts";
import type { WorkerBus } from "../workers/worker-bus.ts";
import { noticeDeliverer } from "./notice-deliverer.ts";
import { postWebhook, refusePrivate, webhookDeliverer } from "./webhook-deliverer.ts";

export interface BillingSurroundings {
  readonly accounts: AccountStores;
  readonly stores: BillingStores;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where people reach us, if that is configured. */
  readonly configuredUrl: string | null;
  /** The same where it has to be guessed otherwise. */
  readonly publicUrl: () => string;
  readonly transport: Transport;
  readonly mailServer: () => MailServer | null;
  readonly forgetTeam: (teamId: string) => void;
  readonly workerBus: WorkerBus;
  /** A call of this very process, without a socket. */
  readonly call: (request: Request) => Promise<Response>;
}

export interface Billing {
  readonly routes: readonly Route[];
  /** For one of several workers: each would ask the provider for the same lists. */
  readonly reconciliation: Reconciliation;
  readonly alerts: Alerts;
  readonly topUps: AutoTopUps;
  readonly deliverers: Readonly<Record<string, Deliverer>>;
  /** What is due now and then; never throws. */
  tick(): Promise<void>;
}

/** Where credits come from: the providers, what they tell, and the routes by which people buy. */
export function composeBilling(config: PaymentConfig, runtime: BillingSurroundings): Billing {
  const { stores, clock, log, publicUrl, forgetTeam } = runtime;
  const test = config.provider === "test" ? testProvider(runtime) : null;
  const stripe = config.stripe ? new StripeProvider(config.stripe, clock) : null;
  // One worker compares payments for all of them.
  if (test)
    runtime.workerBus.broadcastMethod("test payment", test, "remember", ({ id, totalCents, currency }) => [
      { id, totalCents, currency },
    ]);
  const provider: PaymentProvider | null = config.provider === "stripe" ? stripe : test;
  // Whoever turns to another provider still has to hear what the former one tells.
  const providers = [test, stripe].filter((one) => one !== null);
  const access = billingAccess(runtime.accounts);
  const purchases = new Purchases({ stores, provider, access, clock });
  const webhooks = new PaymentWebhooks({ stores, providers, clock, log, forgetTeam });
  const testCheckout = test ? new TestCheckout(stores, test) : null;
  const pepper = hmacHex(runtime.secret, "turnpike:voucher-pepper");
  const vouchers = new Vouchers({ stores, access, clock, pepper, forgetTeam });
  runtime.workerBus.broadcastMethod("voucher tried", vouchers.throttle, "count");
  const monthAt = (zone: string, atMs: number) => windowAt("month", zone, atMs);
  const statements = new Statements({ stores, access, clock, monthAt });
  const baseUrl = baseUrlOf(runtime.configuredUrl);
  const reconciliation = new Reconciliation({ stores, providers, clock, log, forgetTeam });
  const topUps = new AutoTopUps({ stores, provider, access, clock, log, forgetTeam, monthAt });
  const expiring = tellOfExpiringKeys(stores, clock, log);
  const alerts = new Alerts({ stores, access, clock });
  const rootSecret = runtime.secret;
  const checkUrl = config.allowPrivateWebhooks ? () => undefined : refusePrivate;
  const endpoints = new WebhookEndpoints({ stores, access, clock, rootSecret, checkUrl });
  const rests = new EndpointRests(() => clock.monotonicMs());
  const post = postWebhook(runtime.transport, config.allowPrivateWebhooks);
  const deliver = { stores, clock, rootSecret, rests, post };
  const things = { purchases, webhooks, vouchers, statements, alerts, topUps, endpoints };
  return {
    routes: purchaseRoutes({ stores, baseUrl, testCheckout, seller: config.seller, ...things }),
    reconciliation,
    alerts,
    topUps,
    deliverers: {
      webhook: webhookDeliverer(deliver),
      notice: noticeDeliverer(runtime.accounts, new Mailer(runtime.mailServer), publicUrl),
    },
    async tick() {
      await topUps.tick();
      await expiring();
    },
  };
}

function testProvider({ secret, clock, call }: BillingSurroundings): TestProvider {
  return new TestProvider({
    clock,
    secret: testPaymentSecret(secret),
    send: (body, signature) =>
      call(
        new Request("http://localhost/api/webhooks/test", {
          method: "POST",
          headers: { "content-type": "application/json", "stripe-signature": signature },
          body,
        }),
      ),
  });
}

/** What the offline provider signs with: nobody outside knows it, since it is made of the root secret. */
export const testPaymentSecret = (root: string): string => hmacHex(root, "turnpike:test-payments");

const billingAccess =
  (accounts: AccountStores): BillingAccess =>
  async (caller, named, wanted, missing) => {
    if (!missing || named === null) return (await activeOrganization(accounts, caller, named, wanted)).organization;
    try {
      return (await requireOrganization(accounts, caller, named, wanted)).organization;
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.kind === "not_found") throw missing();
      throw thrown;
    }
  };
