import type { Kysely } from "kysely";
import type { BillingStores } from "../../billing/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { alertStore } from "./alerts.ts";
import { auditDesk } from "./audit-desk.ts";
import { paymentMethodStore, topUpStore } from "./auto-top-ups.ts";
import { disputeStore } from "./disputes.ts";
import { failedRefundStore } from "./failed-refunds.ts";
import { ledgerDesk } from "./ledger-desk.ts";
import { noticeDesk } from "./notices.ts";
import { paymentEventStore } from "./payment-events.ts";
import { purchaseStore } from "./purchases.ts";
import { statementStore } from "./statements.ts";
import { voucherStore } from "./vouchers.ts";
import { deliveryStore, endpointStore } from "./webhook-endpoints.ts";

export function billingStores(db: Kysely<Tables>): BillingStores {
  return {
    purchases: purchaseStore(db),
    disputes: disputeStore(db),
    failedRefunds: failedRefundStore(db),
    events: paymentEventStore(db),
    vouchers: voucherStore(db),
    statements: statementStore(db),
    notices: noticeDesk(db),
    endpoints: endpointStore(db),
    deliveries: deliveryStore(db),
    alerts: alertStore(db),
    methods: paymentMethodStore(db),
    topUps: topUpStore(db),
    ledger: ledgerDesk(db),
    audit: auditDesk(db),
    transaction: (work) => inTransaction(db, (transaction) => work(billingStores(transaction))),
  };
}
