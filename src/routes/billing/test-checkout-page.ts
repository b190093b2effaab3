import Type from "typebox";
import type { PaymentMethod, Purchase } from "../../billing/records.ts";
import { SETUP_ACTIONS, TEST_ACTIONS, type TestCheckout } from "../../billing/test-checkout.ts";
import { formatUsd } from "../../contract/money.ts";
import { plainPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { escapeHtml } from "../../lib/html.ts";

/** The offline provider's page to pay on. It takes no money, and says so. */
export const testCheckoutRoutes = (checkout: TestCheckout): Route[] => [
  route({
    method: "GET",
    paths: ["/checkout/test/{id}"],
    tag: "Billing",
    summary: "Page on which a test payment is decided",
    auth: "none",
    params: Type.Object({ id: Type.String() }),
    success: "text/html",
    errors: ["not_found", "database"],
    hidden: true,
    async handle({ params }) {
      const setup = await checkout.findSetup(params.id);
      return plainPage(setup ? renderSetup(setup) : renderPurchase(await checkout.find(params.id)));
    },
  }),
  route({
    method: "POST",
    paths: ["/checkout/test/{id}/{action}"],
    tag: "Billing",
    summary: "A button of the page",
    auth: "none",
    params: Type.Object({ id: Type.String(), action: Type.String() }),
    success: "text/html",
    errors: ["not_found", "database"],
    hidden: true,
    async handle({ params }) {
      await checkout.act(params.id, params.action);
      // Looked at with GET, so that a reload of the page does nothing again.
      return new Response(null, {
        status: 303,
        headers: { location: `/checkout/test/${encodeURIComponent(params.id)}` },
      });
    },
  }),
];

const renderPurchase = (purchase: Purchase): string =>
  render(`${formatUsd(purchase.amount)} USD of credits`, purchase.id, {
    facts: [
      ["Status", purchase.status],
      ["Given back", `${formatUsd(purchase.refunded)} USD`],
      ["Disputed", `${formatUsd(purchase.disputed)} USD`],
    ],
    buttons: TEST_ACTIONS.filter(({ when }) => when(purchase)),
    back: `/ui/billing?purchase=${encodeURIComponent(purchase.id)}`,
  });

const renderSetup = ({ id, status }: PaymentMethod): string =>
  render("A card for later", id, {
    facts: [["Status", status]],
    buttons: status === "pending" ? SETUP_ACTIONS : [],
    back: "/ui/billing?tab=settings",
  });

interface Content {
  readonly facts: readonly (readonly [string, string])[];
  readonly buttons: readonly { readonly name: string; readonly label: string }[];
  /** Where a real provider would lead back to. */
  readonly back: string;
}

const render = (title: string, id: string, { facts, buttons, back }: Content): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Test payment</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem; color: #1c1c1c; }
.mark { background: #b45309; color: #fff; padding: .5rem 1rem; font-weight: 700; text-transform: uppercase; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
form { display: inline-block; margin: .25rem .25rem 0 0; }
button { font: inherit; padding: .5rem 1rem; }
</style>
</head>
<body>
<p class="mark">Test mode: no money moves</p>
<h1>${escapeHtml(title)}</h1>
<dl>
${[["Id", id] as const, ...facts].map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("\n")}
</dl>
${buttons.map(({ name, label }) => button(id, name, label)).join("\n")}
<p><a href="${escapeHtml(back)}">Back to billing</a></p>
</body>
</html>
`;

const button = (id: string, name: string, label: string): string =>
  `<form method="post" action="/checkout/test/${encodeURIComponent(id)}/${name}"><button>${escapeHtml(label)}</button></form>`;
