import Type from "typebox";
import type { Receipt, Statements } from "../../billing/statements.ts";
import { formatUsd } from "../../contract/money.ts";
import type { SellerRecord } from "../../contract/purchases.ts";
import { isoTime } from "../../contract/users.ts";
import { route } from "../../http/route.ts";
import { FormatQuery, reply } from "./document.ts";
import { entriesTable, entryRecord } from "./entries-table.ts";
import { localTimes } from "./local-time.ts";
import { type PaperDocument, sellerLines } from "./paper-document.ts";
import { summaryTable } from "./summary-table.ts";

export const getReceipt = (statements: Statements, seller: SellerRecord | null) =>
  route({
    method: "GET",
    paths: ["/api/billing/purchases/{id}/receipt"],
    tag: "Billing",
    summary: "Show the receipt of a purchase that was paid",
    description:
      "What was paid, the entry of the books that it is, and each one by which something went back. With `format=pdf` " +
      "to file away. Needs the role admin or owner.",
    auth: "session",
    scope: "billing:read",
    params: Type.Object({ id: Type.String() }),
    query: FormatQuery,
    success: Type.Object({}, { additionalProperties: true }),
    errors: ["permission", "not_found", "conflict"],
    handle: async ({ caller, params, query }) =>
      reply(draw(await statements.receipt(caller, params.id), seller), query.format ?? "json"),
  });

function draw({ purchase, organization, lines, kept }: Receipt, seller: SellerRecord | null): PaperDocument {
  const { id, amount, refunded, disputed, provider, mode, totalCents, currency } = purchase;
  const paidAt = purchase.paidAt ?? 0;
  const time = localTimes(organization.timezone);
  const total = `${(totalCents / 100).toFixed(2)} ${currency.toUpperCase()}`;
  return {
    seller: sellerLines(seller),
    dateMs: paidAt,
    title: mode === "test" ? "Receipt (test mode: no money moved)" : "Receipt",
    fileName: `receipt-${id}`,
    facts: [
      ["Receipt", id],
      ["Organization", organization.name],
      ["Paid", `${time(paidAt)} (${organization.timezone})`],
      ["Paid through", provider],
      ["For", "Credits"],
      ["Total", total],
    ],
    tables: [
      summaryTable(
        [
          ["Credits bought", amount],
          ["Given back", -refunded],
          ["Disputed", -disputed],
        ],
        ["Kept", kept],
      ),
      entriesTable("In the books", lines, time),
    ],
    csv: [
      [
        "receipt",
        "organization",
        "paid_at",
        "provider",
        "mode",
        "total_cents",
        "currency",
        "amount_usd",
        "refunded_usd",
        "disputed_usd",
        "kept_usd",
      ],
      [
        id,
        organization.name,
        isoTime(paidAt),
        provider,
        mode,
        totalCents,
        currency,
        formatUsd(amount),
        formatUsd(refunded),
        formatUsd(disputed),
        formatUsd(kept),
      ],
    ],
    json: {
      id,
      organizationId: organization.id,
      organizationName: organization.name,
      paidAt: isoTime(paidAt),
      provider,
      mode,
      totalCents,
      currency,
      amount: Number(amount),
      amountUsd: formatUsd(amount),
      refunded: Number(refunded),
      refundedUsd: formatUsd(refunded),
      disputed: Number(disputed),
      disputedUsd: formatUsd(disputed),
      kept: Number(kept),
      keptUsd: formatUsd(kept),
      status: purchase.status,
      entries: lines.map(entryRecord),
      seller,
    },
  };
}
