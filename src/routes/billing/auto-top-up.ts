import type { AutoTopUps, SeenTopUp } from "../../billing/auto-top-up.ts";
import { Done, eitherOf } from "../../contract/organizations.ts";
import { AutoTopUpBody, AutoTopUpRecord, SetupAnswer } from "../../contract/purchases.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import { created, json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import type { BaseUrl } from "./base-url.ts";

const shared = { tag: "Billing", auth: "session" } as const;
const TOP_UP = { ...shared, paths: ["/api/billing/auto-top-up"], success: AutoTopUpRecord } as const;
const METHOD = { ...shared, paths: ["/api/billing/payment-method"] } as const;

export const autoTopUpRoutes = (topUps: AutoTopUps, baseUrl: BaseUrl): Route[] => [
  route({
    ...TOP_UP,
    method: "GET",
    scope: "billing:read",
    summary: "Show whether and how the balance is topped up by itself",
    errors: ["permission", "not_found"],
    handle: async ({ caller, request }) => json(topUpRecord(await topUps.get(caller, namedOrganization(request)))),
  }),
  route({
    ...TOP_UP,
    method: "PUT",
    summary: "Choose whether and how the balance is topped up by itself",
    description:
      "When the balance is below `threshold`, `amount` is bought with the saved means of payment, one purchase at a time and never " +
      "more than `monthlyCap` in a month (UTC). After a decline it waits an hour, then six; after the third it is switched off. " +
      "Needs the role admin or owner.",
    body: AutoTopUpBody,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, request, connection }) {
      const monthlyCap = eitherOf(body.monthlyCap, body.monthly_cap) ?? null;
      const seen = await topUps.put({ caller, address: connection.remoteAddress }, namedOrganization(request), {
        enabled: body.enabled,
        threshold: BigInt(body.threshold),
        amount: BigInt(body.amount),
        monthlyCap: monthlyCap === null ? null : BigInt(monthlyCap),
      });
      return json(topUpRecord(seen));
    },
  }),
  route({
    ...METHOD,
    method: "POST",
    summary: "Save a means of payment for later",
    description: "`setupUrl` is the provider's page to do it on. Needs the role admin or owner.",
    success: SetupAnswer,
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict", "upstream"],
    async handle({ caller, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const { url } = await topUps.beginSetup(actor, namedOrganization(request), baseUrl(request));
      return created({ setupUrl: url });
    },
  }),
  route({
    ...METHOD,
    method: "DELETE",
    summary: "Forget the saved means of payment; nothing is topped up by itself any more",
    success: Done,
    errors: ["permission", "not_found"],
    async handle({ caller, request, connection }) {
      await topUps.removeMethod({ caller, address: connection.remoteAddress }, namedOrganization(request));
      return json({ success: true });
    },
  }),
];

const topUpRecord = ({ organizationId, topUp, method }: SeenTopUp): AutoTopUpRecord => ({
  organizationId,
  enabled: topUp?.status === "on",
  threshold: Number(topUp?.threshold ?? 0n),
  amount: Number(topUp?.amount ?? 0n),
  monthlyCap: topUp?.monthlyCap == null ? null : Number(topUp.monthlyCap),
  declines: topUp?.declines ?? 0,
  retryAt: isoTimeOrNull(topUp?.retryAt ?? null),
  paymentMethod: method && { id: method.id, label: method.label ?? method.provider },
});
