import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { longPromptAddress } from "../services/long-prompt-upstream.ts";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

/** A call of `dear` costs 4 USD. */
const CONFIG = `
model_list:
  - model_name: dear
    litellm_params: { model: hosted_vllm/m, api_base: "${longPromptAddress}" }
    model_info: { input_cost_per_token: 0.002, output_cost_per_token: 0 }
general_settings: { log_level: error, signup_credits: 1 }
`;

describe.skipIf(browserMissing !== null)("billing, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("billing", {}, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const balance = (visitor: Visitor, text: string) =>
    visitor.page.getByText(text, { exact: true }).first().waitFor({ state: "visible" });

  test(
    "a team that was blocked comes back when credits are bought",
    async () => {
      const { page } = ada;
      const spent = await callModel(walk, ada);
      expect(spent).toBe(200);
      await expectBlocked(walk, ada);
      await page.getByRole("link", { name: "Billing", exact: true }).click();
      await page.getByText("One team is blocked").waitFor();
      await page.getByText("$3.00", { exact: true }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("blocked");
      expect(await callModel(walk, ada)).not.toBe(200);

      await page.getByLabel("Amount in USD").fill("4");
      await page.getByRole("button", { name: "Go to the payment" }).click();
      await page.getByText("From 5 to 10,000 USD").waitFor();
      await page.getByText("$25", { exact: true }).click();
      expect(await page.getByLabel("Amount in USD").inputValue()).toBe("25");
      await page.getByRole("button", { name: "Go to the payment" }).click();
      // One button stands out; the others are plain, below a heading that says what they are for.
      await page.getByRole("heading", { level: 2, name: "For trying out what may go wrong" }).waitFor();
      expect(await page.locator("button:not(.second)").allInnerTexts()).toEqual(["Pay"]);
      expect(await page.locator("h2 ~ .choices button").count()).toBe(6);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("checkout");
      await page.getByRole("button", { name: "Pay", exact: true }).click();
      await page.getByText("paid", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Back to billing" }).click();
      await page.getByText("Thank you").waitFor();
      await balance(ada, "$22.00");
      await page.getByText("One team is blocked").waitFor({ state: "detached" });
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("bought");
      expect(await callModel(walk, ada)).toBe(200);
      await balance(ada, "$18.00");
    },
    WALK_MS,
  );

  test(
    "purchases, the ledger and the statement tell the same, exactly",
    async () => {
      const { page } = ada;
      await page.getByRole("tab", { name: "Purchases" }).click();
      await page.getByRole("table", { name: "Purchases" }).getByText("$25.00").waitFor();
      const receipt = await page.getByRole("link", { name: "Receipt", exact: true }).getAttribute("href");
      expect((await page.request.get(ada.url + receipt)).status()).toBe(200);
      const pdf = await page.getByRole("link", { name: "Receipt as PDF" }).getAttribute("href");
      expect((await page.request.get(ada.url + pdf)).headers()["content-type"]).toBe("application/pdf");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("purchases");

      await page.getByRole("tab", { name: "Ledger" }).click();
      const ledger = page.getByRole("table", { name: "Ledger" });
      await ledger.getByText("$22.00").waitFor();
      await ledger.getByText("-$3.00").waitFor();
      expect(await ledger.getByText("-$4.00").count()).toBe(2);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("ledger");

      await page.getByRole("tab", { name: "Statements" }).click();
      const summary = page.getByRole("table", { name: "Summary" });
      await summary.getByRole("row", { name: "Closing balance $18.00" }).waitFor();
      await summary.getByRole("row", { name: "Usage -$8.00" }).waitFor();
      const whole = await page.getByRole("link", { name: "PDF", exact: true }).getAttribute("href");
      expect((await page.request.get(ada.url + whole)).headers()["content-type"]).toBe("application/pdf");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("statement");
    },
    WALK_MS,
  );

  test(
    "a double click, or another one after an answer that was lost, buys once",
    async () => {
      const eve = await walk.owner("eve@example.com", "Eve");
      const { page } = eve;
      await eve.goTo("/ui/billing");
      const buy = page.getByRole("button", { name: "Go to the payment" });
      const paths = "**/api/billing/checkout";
      await page.route(paths, async (route) => {
        await route.fetch();
        // With the status of success: of any other the browser writes to its console.
        await route.fulfill({ status: 200, contentType: "application/json", body: "{" });
      });
      await buy.click();
      await page.getByRole("alert").first().waitFor();
      await page.unroute(paths);
      await buy.dblclick();
      await page.waitForURL(/checkout\/test/);
      await eve.goTo("/ui/billing");
      const purchases = async () =>
        ((await walk.fromPage(eve, "GET", "/api/billing/purchases")) as { data: object[] }).data.length;
      expect(await purchases()).toBe(1);
      // What is bought later, for the same amount, is another purchase.
      await buy.click();
      await page.waitForURL(/checkout\/test/);
      await eve.goTo("/ui/billing");
      expect(await purchases()).toBe(2);
    },
    WALK_MS,
  );

  test(
    "a card is saved, top-up and alerts are set, and stay set",
    async () => {
      const { page } = ada;
      await page.getByRole("tab", { name: "Top-up and alerts" }).click();
      await page.getByRole("button", { name: "Save a card" }).click();
      await page.waitForURL(/checkout\/test/);
      await page.getByRole("button", { name: "Save a card", exact: true }).click();
      await page.getByRole("link", { name: "Back to billing" }).click();
      await page.getByText("Paid with").waitFor();
      await page.getByLabel("Top up by itself").check();
      await page.getByLabel("When the balance is below, in USD").fill("10");
      await page.getByLabel("At most in a month, in USD").fill("100");
      await page.getByRole("button", { name: "Save the top-up" }).click();
      await page.getByText("The balance is topped up by itself from now on.").waitFor();
      const thresholds = page.getByRole("combobox", { name: "When the balance falls below" });
      await thresholds.fill("5");
      await thresholds.press("Enter");
      await page.getByRole("button", { name: "Save the alerts" }).click();
      await page.getByText("The alerts are saved.").waitFor();
      await page.reload();
      await page.getByLabel("At most in a month, in USD").waitFor();
      expect(await page.getByLabel("Top up by itself").isChecked()).toBe(true);
      expect(await page.getByLabel("At most in a month, in USD").inputValue()).toBe("100");
      expect(await walk.fromPage(ada, "GET", "/api/billing/alerts")).toMatchObject({
        thresholds: [{ threshold: 5_000_000_000 }],
      });
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("settings");
    },
    WALK_MS,
  );

  test(
    "a voucher adds credit once; a member sees the ledger and buys nothing",
    async () => {
      const operator = await walk.operator();
      const made = await walk.fromPage<{ data: { code: string }[] }>(operator, "POST", "/api/admin/vouchers", {
        amountUsd: "7.5",
      });
      const { page } = ada;
      await page.getByRole("tab", { name: "Buy credits" }).click();
      await page.getByLabel("Code").fill(made.data[0]?.code ?? "");
      await page.getByRole("button", { name: "Redeem" }).click();
      await page.getByText("$7.50 was added to the balance.").waitFor();
      await balance(ada, "$25.50");
      await page.getByLabel("Code").fill(made.data[0]?.code ?? "");
      await page.getByRole("button", { name: "Redeem" }).click();
      await page.getByRole("region", { name: "Redeem a voucher" }).getByText("not").first().waitFor();

      const bob = await walk.developer(ada, "bob@example.com", "Bob");
      await bob.page.getByRole("link", { name: "Billing", exact: true }).click();
      await bob.page.getByRole("table", { name: "Ledger" }).waitFor();
      expect(await bob.page.getByRole("tab").allInnerTexts()).toEqual(["Ledger"]);
      expect(await bob.axe()).toEqual([]);
      await bob.screenshot("member");
      expect(bob.faults).toEqual([]);
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "whoever is invoiced is told what is owed, and not that calls are refused",
    async () => {
      const { page } = ada;
      const operator = await walk.operator();
      const quota = () => walk.fromPage<{ organizationId: string; balance: number }>(ada, "GET", "/api/quota");
      const { organizationId } = await quota();
      await walk.fromPage(operator, "PATCH", `/api/admin/organizations/${organizationId}`, { billing: "invoiced" });
      for (let owed = 25.5; owed >= 0; owed -= 4) expect(await callModel(walk, ada)).toBe(200);
      for (let left = 200; left > 0 && (await quota()).balance >= 0; left--) await Bun.sleep(50);
      await ada.goTo("/ui/billing");
      await page.getByText("-$2.50", { exact: true }).first().waitFor();
      await page.getByText("calls are invoiced", { exact: true }).waitFor();
      expect(await page.getByText("calls are refused").count()).toBe(0);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("invoiced");
      await ada.goTo("/ui");
      await page.getByText("calls are invoiced", { exact: true }).waitFor();
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );
});

/** A call under a key of the person's own, as the playground makes it; the answer's status. */
async function callModel(walk: Walk, visitor: Visitor): Promise<number> {
  const { data: keys } = await walk.fromPage<{ data: { id: string }[] }>(visitor, "GET", "/api/api-keys");
  let id = keys[0]?.id;
  if (id === undefined) {
    const teams = await walk.fromPage<{ data: { id: string }[] }>(visitor, "GET", "/api/gw/teams");
    const made = { name: "walk", teamId: teams.data[0]?.id };
    id = (await walk.fromPage<{ id: string }>(visitor, "POST", "/api/gw/api-keys", made)).id;
  }
  return visitor.page.evaluate(sendChat, id);
}

/** Runs in the browser. */
async function sendChat(keyId: string): Promise<number> {
  const { csrfToken } = (await (await fetch("/api/auth/me")).json()) as { csrfToken: string };
  const answer = await fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "x-csrf-token": csrfToken, "x-gw-key-id": keyId, "content-type": "application/json" },
    body: JSON.stringify({ model: "dear", messages: [{ role: "user", content: "Hello!" }] }),
  });
  await answer.text();
  return answer.status;
}

/** Calls are settled a moment after their answer. */
async function expectBlocked(walk: Walk, visitor: Visitor): Promise<void> {
  for (let left = 200; left > 0; left--) {
    const quota = await walk.fromPage<{ status: string }>(visitor, "GET", "/api/quota");
    if (quota.status === "exceeded") return;
    await Bun.sleep(50);
  }
  throw new Error("The balance did not fall below zero.");
}
