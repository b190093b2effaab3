import Type from "typebox";
import type { Receipt, Statements } from "../../billing/statements.ts";
import { formatUsd } from "../../contract/money.ts";
import { isoTime } from "../../contract/users.ts";
import { route } from "../../http/route.ts";
import { FormatQuery, type PaperDocument, reply } from "./document.ts";
import { localTime } from "./local-time.ts";

export const getReceipt = (statements: Statements) =>
  route({
    method: "GET",
    paths: ["/api/billing/purchases/{id}/receipt"],
    tag: "Billing",
    summary: "Show the receipt of a purchase that was paid",
    auth: "session",
    params: Type.Object({ id: Type.String() }),
    query: FormatQuery,
    success: Type.Object({}, { additionalProperties: true }),
    errors: ["permission", "not_found", "conflict"],
    handle: async ({ caller, params, query }) =>
      reply(draw(await statements.receipt(caller, params.id)), query.format ?? "json"),
  });

function draw({ purchase, organization }: Receipt): PaperDocument {
  const { id, amount, refunded, provider, mode, totalCents, currency } = purchase;
  const paidAt = purchase.paidAt ?? 0;
  const total = `${(totalCents / 100).toFixed(2)} ${currency.toUpperCase()}`;
  const net = amount - refunded;
  return {
    title: mode === "test" ? "Receipt (test mode: no money moved)" : "Receipt",
    fileName: `receipt-${id}`,
    facts: [
      ["Receipt", id],
      ["Organization", organization.name],
      ["Paid", `${localTime(organization.timezone, paidAt)} (${organization.timezone})`],
      ["Paid through", provider],
      ["For", "Credits"],
      ["Total", total],
      ["Given back, USD", formatUsd(refunded)],
      ["Kept, USD", formatUsd(net)],
    ],
    tables: [],
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
      status: purchase.status,
    },
  };
}
