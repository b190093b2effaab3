import Type from "typebox";
import type { PaymentMethod, Purchase } from "../../billing/records.ts";
import { SETUP_ACTIONS, TEST_ACTIONS, type TestCheckout } from "../../billing/test-checkout.ts";
import { formatUsd } from "../../contract/money.ts";
import { plainPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { escapeHtml } from "../../lib/html.ts";
import { plainFrame } from "../auth/plain-frame.ts";

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
      const html = setup ? renderSetup(setup) : renderPurchase(await checkout.find(params.id));
      return plainPage(html, 200, { "x-robots-tag": "noindex" });
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

const render = (title: string, id: string, { facts, buttons, back }: Content): string =>
  plainFrame(
    "Test payment · Turnpike",
    `<p class="mark">Test mode: no money moves</p>
<h1>${escapeHtml(title)}</h1>
<dl>
${[["Id", id] as const, ...facts].map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("\n")}
</dl>
${choices(id, buttons)}
<p><a href="${escapeHtml(back)}">Back to billing</a></p>`,
  );

/** What nearly everybody is here for stands out; all others are for developers. */
const USUAL: ReadonlySet<string> = new Set(["pay", "save"]);

function choices(id: string, buttons: Content["buttons"]): string {
  const draw = (isUsual: boolean): string =>
    buttons
      .filter(({ name }) => USUAL.has(name) === isUsual)
      .map(({ name, label }) => button(id, name, label, isUsual))
      .join("\n");
  const others = draw(false);
  return `<div class="choices">
${draw(true)}
</div>
${others && `<h2>For trying out what may go wrong</h2>\n<div class="choices">\n${others}\n</div>`}`;
}

const button = (id: string, name: string, label: string, isUsual: boolean): string =>
  `<form method="post" action="/checkout/test/${encodeURIComponent(id)}/${name}">` +
  `<button${isUsual ? "" : ' class="second"'}>${escapeHtml(label)}</button></form>`;
