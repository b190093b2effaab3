import Type from "typebox";
import type { Purchases } from "../../billing/purchases.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { PurchaseRecord } from "../../contract/purchases.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { purchaseRecord } from "./purchase-record.ts";

const NEWEST_FIRST = { by: "createdAt", direction: "desc" } as const;

export const listPurchases = (purchases: Purchases) =>
  route({
    method: "GET",
    paths: ["/api/billing/purchases"],
    tag: "Billing",
    summary: "List what was bought",
    description: "Needs the role admin or owner in the organization.",
    auth: "session",
    scope: "billing:read",
    query: Type.Object({ ...PageQuery.properties, ...sortQuery(["createdAt", "amount"], "the newest first") }),
    success: PagedList(PurchaseRecord),
    errors: ["permission", "not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const order = sortingOf(query, NEWEST_FIRST);
      const { rows, total } = await purchases.list(caller, namedOrganization(request), page, order);
      return json(paged(rows.map(purchaseRecord), page, total));
    },
  });
