import type { Alerts, SeenAlerts } from "../../billing/alerts.ts";
import { eitherOf } from "../../contract/either-of.ts";
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
    scope: "billing:read",
    summary: "Show when the organization is told of its credit and its budgets",
    errors: ["permission", "not_found"],
    async handle({ caller, request }) {
      return json(alertsRecord(await alerts.list(caller, namedOrganization(request))));
    },
  }),
  route({
    ...shared,
    method: "PUT",
    summary: "Choose when the organization is told of its credit and its budgets",
    description:
      "By mail and to its webhook endpoints (`balance.low`), once for each time that the balance falls below one. That nothing " +
      "is left (`balance.depleted`) is told in any case. `budgetPercents` are the shares of budgets (of the organization, its teams, " +
      "members and keys) at which `budget.threshold` is told, once in each window. Needs the role admin or owner.",
    body: AlertsBody,
    errors: ["permission", "not_found"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const budgetPercents = eitherOf(body.budgetPercents, body.budget_percents);
      const chosen = { thresholds: body.thresholds?.map(BigInt), budgetPercents };
      return json(alertsRecord(await alerts.replace(actor, namedOrganization(request), chosen)));
    },
  }),
];

const alertsRecord = ({ organizationId, budgetPercents, rows }: SeenAlerts): AlertsRecord => ({
  organizationId,
  budgetPercents: [...budgetPercents],
  thresholds: rows.map(({ threshold, firedAt }) => ({
    threshold: Number(threshold),
    thresholdUsd: formatUsd(threshold),
    firedAt: isoTimeOrNull(firedAt),
  })),
});
