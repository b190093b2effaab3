import Type from "typebox";
import type { Purchases } from "../../billing/purchases.ts";
import { PurchaseRecord } from "../../contract/purchases.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { purchaseRecord } from "./purchase-record.ts";

export const getPurchase = (purchases: Purchases) =>
  route({
    method: "GET",
    paths: ["/api/billing/purchases/{id}"],
    tag: "Billing",
    summary: "Show a purchase; whoever waits for a payment asks here",
    auth: "session",
    scope: "billing:read",
    params: Type.Object({ id: Type.String() }),
    success: PurchaseRecord,
    errors: ["permission", "not_found"],
    handle: async ({ caller, params }) => json(purchaseRecord(await purchases.get(caller, params.id))),
  });
