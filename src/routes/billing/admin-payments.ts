import Type from "typebox";
import type { Purchases } from "../../billing/purchases.ts";
import { EVENT_STATUSES } from "../../billing/records.ts";
import type { BillingStores } from "../../billing/store.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { findAmount, PaymentEventRecord, PurchaseRecord, RefundBody } from "../../contract/purchases.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { purchaseRecord } from "./purchase-record.ts";

const LATEST_FIRST = { by: "updatedAt", direction: "desc" } as const;

export const refundPurchase = (purchases: Purchases) =>
  route({
    method: "POST",
    paths: ["/api/admin/purchases/{id}/refund"],
    tag: "Administration",
    summary: "Give a purchase back, wholly or in part",
    description:
      "The provider is asked to give the money back; the credits leave the wallet when it tells that it has, which may take " +
      "the balance below zero. Without an amount all that is left of the purchase goes back.",
    auth: "admin",
    params: Type.Object({ id: Type.String() }),
    body: RefundBody,
    success: PurchaseRecord,
    errors: ["invalid_request", "not_found", "conflict", "upstream"],
    async handle({ caller, params, body, connection }) {
      const amount = findAmount(body);
      return json(purchaseRecord(await purchases.refund(caller, connection.remoteAddress, params.id, amount)));
    },
  });

export const listPaymentEvents = (stores: BillingStores) =>
  route({
    method: "GET",
    paths: ["/api/admin/webhook-events"],
    tag: "Administration",
    summary: "Read what payment providers told",
    description:
      "`parked` ones need a person: what was told does not fit what was bought, nobody knows the purchase, or its " +
      "organization was removed before it was paid.",
    auth: "admin",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(["firstSeenAt", "updatedAt", "attempts"], "the latest first"),
      status: Type.Optional(Type.Enum(EVENT_STATUSES)),
    }),
    success: PagedList(PaymentEventRecord),
    errors: [],
    async handle({ query }) {
      const page = pageOf(query);
      const { status } = query;
      const filter = status === undefined ? {} : { status };
      const { rows, total } = await stores.events.list(filter, page, sortingOf(query, LATEST_FIRST));
      const shown = rows.map((row) => ({
        ...row,
        firstSeenAt: isoTime(row.firstSeenAt),
        updatedAt: isoTime(row.updatedAt),
      }));
      return json(paged(shown, page, total));
    },
  });
