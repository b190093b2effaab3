import Type from "typebox";
import { activeOrganization } from "../../accounts/access.ts";
import { amountRecord, balanceRecord, LedgerLineRecord } from "../../contract/billing.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { LedgerLine } from "../../ledger/store.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import type { BillingDeps } from "./billing-deps.ts";

const NEWEST_FIRST = { by: "at", direction: "desc" } as const;

export const listLedger = ({ stores, ledger }: BillingDeps) =>
  route({
    method: "GET",
    paths: ["/api/billing/ledger"],
    tag: "Billing",
    summary: "List everything that moved the organization's credit",
    description: "With the balance after each. Calls are summed up: one entry for those of a moment.",
    auth: "session",
    scope: "billing:read",
    query: Type.Object({ ...PageQuery.properties, ...sortQuery(["at"], "the newest first") }),
    success: PagedList(LedgerLineRecord),
    errors: ["not_found"],
    async handle({ caller, request, query }) {
      const { organization } = await activeOrganization(stores, caller, namedOrganization(request), "viewer");
      const page = pageOf(query);
      const { rows, total } = await ledger.list(organization.id, page, sortingOf(query, NEWEST_FIRST).direction);
      return json(paged(rows.map(ledgerLineRecord), page, total));
    },
  });

export const ledgerLineRecord = ({ at, amount, balance, ...line }: LedgerLine): LedgerLineRecord => ({
  id: line.id,
  at: isoTime(at),
  kind: line.kind,
  ...amountRecord(amount),
  ...balanceRecord(balance),
  actor: line.actor,
  reason: line.reason,
  details: line.details,
});
