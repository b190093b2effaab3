import { activeOrganization } from "../../accounts/access.ts";
import { balanceRecord, QuotaRecord, quotaRecord } from "../../contract/billing.ts";
import { formatUsd } from "../../contract/money.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import type { BillingDeps } from "./billing-deps.ts";

export const quota = ({ stores, ledger, alerts, topUps }: BillingDeps) =>
  route({
    method: "GET",
    paths: ["/api/quota"],
    tag: "Billing",
    summary: "Show what the organization has bought, was given and has used",
    description:
      "`held` is what running processes have set aside for calls, `available` what is left of the balance beside it. " +
      "`status` is `exceeded` while the balance is negative: then the teams are blocked until credit is added. " +
      "The balance of an organization that is invoiced tells what is owed, and blocks nobody.",
    auth: "session",
    scope: "billing:read",
    success: QuotaRecord,
    errors: ["not_found"],
    async handle({ caller, request }) {
      const { organization } = await activeOrganization(stores, caller, namedOrganization(request), "viewer");
      const { id } = organization;
      const [wallet, thresholds, topUp] = await Promise.all([ledger.wallet(id), alerts.of(id), topUps.of(id)]);
      return json({
        organizationId: organization.id,
        ...balanceRecord(wallet.balance),
        ...quotaRecord(wallet),
        availableUsd: formatUsd(wallet.balance - wallet.held),
        purchased: Number(wallet.purchased),
        granted: Number(wallet.granted),
        used: Number(wallet.used),
        status: organization.billing === "prepaid" && wallet.balance < 0n ? "exceeded" : "active",
        blockedTeams: wallet.blockedTeams,
        autoTopUp: {
          enabled: topUp?.status === "on",
          threshold: Number(topUp?.threshold ?? 0n),
          amount: Number(topUp?.amount ?? 0n),
          monthlyCap: topUp?.monthlyCap == null ? null : Number(topUp.monthlyCap),
        },
        alerts: thresholds.map(({ threshold }) => Number(threshold)),
        currency: "USD",
        unit: "nano-USD",
        updatedAt: isoTimeOrNull(wallet.updatedAt),
      });
    },
  });
