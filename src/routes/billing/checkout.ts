import type { Purchases } from "../../billing/purchases.ts";
import { eitherOf } from "../../contract/organizations.ts";
import { CheckoutAnswer, CheckoutBody, getAmount } from "../../contract/purchases.ts";
import { created } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import type { BaseUrl } from "./base-url.ts";
import { purchaseRecord } from "./purchase-record.ts";

export const checkout = (purchases: Purchases, baseUrl: BaseUrl) =>
  route({
    method: "POST",
    paths: ["/api/billing/checkout", "/api/credits/purchase"],
    tag: "Billing",
    summary: "Buy credits",
    description:
      "Needs the role admin or owner in the organization: that of `organizationId`, of the `x-organization-id` header, or the " +
      "active one. 5 to 10,000 USD in whole cents. `checkoutUrl` is the page to pay on; the credits are there when the " +
      "provider has told that it was paid, which `GET /api/billing/purchases/{id}` shows.",
    auth: "session",
    body: CheckoutBody,
    success: CheckoutAnswer,
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict", "upstream"],
    async handle({ caller, body, request, connection }) {
      const named = eitherOf(body.organizationId, body.organization_id) ?? namedOrganization(request);
      const actor = { caller, address: connection.remoteAddress };
      const purchase = await purchases.checkout({ actor, named, amount: getAmount(body), base: baseUrl(request) });
      return created({ purchase: purchaseRecord(purchase), checkoutUrl: purchase.checkoutUrl });
    },
  });
