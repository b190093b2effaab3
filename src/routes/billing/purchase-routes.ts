import type { Alerts } from "../../billing/alerts.ts";
import type { AutoTopUps } from "../../billing/auto-top-up.ts";
import type { PaymentWebhooks } from "../../billing/payment-webhooks.ts";
import type { Purchases } from "../../billing/purchases.ts";
import type { Statements } from "../../billing/statements.ts";
import type { BillingStores } from "../../billing/store.ts";
import type { TestCheckout } from "../../billing/test-checkout.ts";
import type { Vouchers } from "../../billing/vouchers.ts";
import type { WebhookEndpoints } from "../../billing/webhook-endpoints.ts";
import type { SellerRecord } from "../../contract/purchases.ts";
import type { Route } from "../../http/route.ts";
import { listPaymentEvents, refundPurchase } from "./admin-payments.ts";
import { alertRoutes } from "./alerts.ts";
import { autoTopUpRoutes } from "./auto-top-up.ts";
import type { BaseUrl } from "./base-url.ts";
import { checkout } from "./checkout.ts";
import { getPurchase } from "./get-purchase.ts";
import { getReceipt } from "./get-receipt.ts";
import { getStatement } from "./get-statement.ts";
import { listPurchases } from "./list-purchases.ts";
import { paymentWebhook } from "./payment-webhook.ts";
import { testCheckoutRoutes } from "./test-checkout-page.ts";
import { createVouchers, listVouchers, redeemVoucher, revokeVoucher } from "./vouchers.ts";
import { webhookEndpointRoutes } from "./webhook-endpoints.ts";

export interface PurchaseRouteDeps {
  readonly stores: BillingStores;
  readonly baseUrl: BaseUrl;
  readonly purchases: Purchases;
  readonly webhooks: PaymentWebhooks;
  readonly vouchers: Vouchers;
  readonly statements: Statements;
  /** Null where the configuration does not say who sells. */
  readonly seller: SellerRecord | null;
  readonly alerts: Alerts;
  readonly topUps: AutoTopUps;
  readonly endpoints: WebhookEndpoints;
  /** Null where the offline provider is off: then its page is not there at all. */
  readonly testCheckout: TestCheckout | null;
}

/** Buying credits and everything around it. */
export const purchaseRoutes = (deps: PurchaseRouteDeps): Route[] => [
  ...buyingRoutes(deps),
  ...alertRoutes(deps.alerts),
  ...autoTopUpRoutes(deps.topUps, deps.baseUrl),
  ...webhookEndpointRoutes(deps.endpoints),
  ...operatorRoutes(deps),
];

const buyingRoutes = ({
  baseUrl,
  purchases,
  webhooks,
  vouchers,
  statements,
  seller,
  testCheckout,
}: PurchaseRouteDeps): Route[] => [
  checkout(purchases, baseUrl),
  listPurchases(purchases),
  getPurchase(purchases),
  paymentWebhook(webhooks),
  getReceipt(statements, seller),
  getStatement(statements, seller),
  redeemVoucher(vouchers),
  ...(testCheckout ? testCheckoutRoutes(testCheckout) : []),
];

const operatorRoutes = ({ stores, purchases, vouchers }: PurchaseRouteDeps): Route[] => [
  refundPurchase(purchases),
  listPaymentEvents(stores),
  createVouchers(vouchers),
  listVouchers(vouchers),
  revokeVoucher(vouchers),
];
