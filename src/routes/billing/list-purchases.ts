import type { Purchases } from "../../billing/purchases.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { PurchaseRecord } from "../../contract/purchases.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { purchaseRecord } from "./purchase-record.ts";

export const listPurchases = (purchases: Purchases) =>
  route({
    method: "GET",
    paths: ["/api/billing/purchases"],
    tag: "Billing",
    summary: "List what was bought, the newest first",
    description: "Needs the role admin or owner in the organization.",
    auth: "session",
    scope: "billing:read",
    query: PageQuery,
    success: PagedList(PurchaseRecord),
    errors: ["permission", "not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const { rows, total } = await purchases.list(caller, namedOrganization(request), page);
      return json(paged(rows.map(purchaseRecord), page, total));
    },
  });
