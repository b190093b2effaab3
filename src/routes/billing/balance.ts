import { activeOrganization } from "../../accounts/access.ts";
import { BalanceRecord, balanceRecord, quotaRecord } from "../../contract/billing.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import type { BillingDeps } from "./billing-deps.ts";

export const balance = ({ stores }: BillingDeps) =>
  route({
    method: "GET",
    paths: ["/api/balance"],
    tag: "Billing",
    summary: "Show the credit of the organization",
    description: "Of the organization that the session works in, or the one that `x-organization-id` names.",
    auth: "session",
    scope: "billing:read",
    success: BalanceRecord,
    errors: ["not_found"],
    async handle({ caller, request }) {
      const { organization } = await activeOrganization(stores, caller, namedOrganization(request), "viewer");
      const quota = await stores.credits.quotaOf(organization.id);
      const unit = "nano-USD";
      return json({ organizationId: organization.id, ...balanceRecord(quota.balance), ...quotaRecord(quota), unit });
    },
  });
