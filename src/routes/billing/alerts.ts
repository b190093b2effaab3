import type { Alerts } from "../../billing/alerts.ts";
import type { BalanceAlert } from "../../billing/records.ts";
import { formatUsd } from "../../contract/money.ts";
import { AlertsBody, AlertsRecord } from "../../contract/purchases.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";

const shared = { tag: "Billing", auth: "session", paths: ["/api/billing/alerts"], success: AlertsRecord } as const;

export const alertRoutes = (alerts: Alerts): Route[] => [
  route({
    ...shared,
    method: "GET",
    summary: "Show the balances below which the organization is told",
    errors: ["permission", "not_found"],
    async handle({ caller, request }) {
      const { organizationId, rows } = await alerts.list(caller, namedOrganization(request));
      return json(alertsRecord(organizationId, rows));
    },
  }),
  route({
    ...shared,
    method: "PUT",
    summary: "Choose the balances below which the organization is told",
    description:
      "By mail and to its webhook endpoints (`balance.low`), once for each time that the balance falls below one. That nothing " +
      "is left (`balance.depleted`) is told in any case. Needs the role admin or owner.",
    body: AlertsBody,
    errors: ["permission", "not_found"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const thresholds = body.thresholds.map(BigInt);
      const { organizationId, rows } = await alerts.replace(actor, namedOrganization(request), thresholds);
      return json(alertsRecord(organizationId, rows));
    },
  }),
];

const alertsRecord = (organizationId: string, rows: readonly BalanceAlert[]): AlertsRecord => ({
  organizationId,
  thresholds: rows.map(({ threshold, firedAt }) => ({
    threshold: Number(threshold),
    thresholdUsd: formatUsd(threshold),
    firedAt: isoTimeOrNull(firedAt),
  })),
});
