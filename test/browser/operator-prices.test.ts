import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const CONFIGURATION = "model_list: [{ model_name: steady, litellm_params: { model: echo/echo } }]\n";

describe.skipIf(browserMissing !== null)("an operator and a file of prices, in a browser", () => {
  let walk: Walk;
  let operator: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("operator-prices", {}, CONFIGURATION);
    operator = await walk.operator();
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "prices come from a file: what would change is shown, and then changed",
    async () => {
      const { page } = operator;
      await page.evaluate(`fetch("/api/auth/me").then((answer) => answer.json()).then(({ csrfToken }) =>
        fetch("/api/admin/models", { method: "POST", headers: { "content-type": "application/json", "x-csrf-token": csrfToken },
          body: JSON.stringify({ provider: "openai", inferenceModelId: "acme-3", name: "imported", inputPrice: 5_000_000_000 }) }))`);
      const prices = {
        "openai/acme-3": {
          litellm_provider: "openai",
          input_cost_per_token: 2.5e-6,
          output_cost_per_token: 1e-5,
          input_cost_per_token_above_200k_tokens: "5.00000000000000000001e-6",
          search_context_cost_per_query: { low: 1 },
        },
        steady: { input_cost_per_token: 1e-6 },
        "groq/never-heard": { litellm_provider: "groq", input_cost_per_token: 1e-9 },
      };
      const choose = (text: string) =>
        dialog
          .locator("input[type=file]")
          .setInputFiles({ name: "prices.json", mimeType: "application/json", buffer: Buffer.from(text) });
      await operator.goTo("/ui/operator/models");
      await page.getByRole("button", { name: "Import prices" }).click();
      const dialog = page.getByRole("dialog");
      await choose("{oops");
      await dialog.getByText("is not JSON").waitFor();
      await choose(JSON.stringify(prices));
      await dialog.getByText("1 entry for no model here: groq/never-heard.").waitFor();
      for (const [price, from, to] of [
        ["Input", "$5.00 / 1M tokens", "$2.50 / 1M tokens"],
        ["Input, above 200k tokens", "–", "$5.00 / 1M tokens"],
        ["Output", "–", "$10.00 / 1M tokens"],
      ] as const) {
        const row = dialog.getByRole("row").filter({ hasText: "openai/acme-3" });
        const one = row.filter({ has: page.getByRole("cell", { name: price, exact: true }) });
        await one.getByRole("cell", { name: from, exact: true }).waitFor();
        await one.getByRole("cell", { name: to, exact: true }).waitFor();
      }
      await dialog.getByText("in the file: stays").first().waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("import-prices");
      await dialog.getByRole("button", { name: "Change 1 model" }).click();
      await page.getByText("The prices of 1 model are changed").waitFor();
      await operator.goTo("/ui/operator/prices?search=imported");
      await page.getByRole("cell", { name: "$2.50", exact: true }).waitFor();
      await page.getByRole("button", { name: "Import prices" }).click();
      await choose(JSON.stringify(prices));
      await dialog.getByText("Would change: 0 models. At that price already: 1.").waitFor();
      expect(await dialog.getByRole("button", { name: "Change prices" }).isDisabled()).toBe(true);
    },
    WALK_MS,
  );

  test(
    "a newer model table is loaded after a preview, and its date is on the hub",
    async () => {
      const { page } = operator;
      const table = { date: "2099-01-01", models: { "openai/gpt-4o-mini": { prices: { input: 7, output: 8 } } } };
      await page.evaluate(`fetch("/api/auth/me").then((answer) => answer.json()).then(({ csrfToken }) =>
        fetch("/api/admin/models", { method: "POST", headers: { "content-type": "application/json", "x-csrf-token": csrfToken },
          body: JSON.stringify({ provider: "openai", inferenceModelId: "gpt-4o-mini", name: "by-table" }) }))`);
      await operator.goTo("/ui/operator/prices");
      await page.getByRole("button", { name: "Load model table" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(/^Table in use: 20\d\d-\d\d-\d\d, built-in/).waitFor();
      await dialog
        .locator("input[type=file]")
        .setInputFiles({ name: "t.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(table)) });
      const row = dialog.getByRole("row").filter({ hasText: "by-table" }).first();
      await row.getByRole("cell", { name: "$0.15 / 1M tokens", exact: true }).waitFor();
      await row.getByRole("cell", { name: "$7.00 / 1M tokens", exact: true }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await dialog.getByRole("button", { name: "Use this table" }).click();
      await page.getByText("The model table of 2099-01-01 is in use.").waitFor();
      await operator.goTo("/ui/model_hub_table");
      await page.getByText("table of 2099-01-01").waitFor();
    },
    WALK_MS,
  );

  test("nothing went wrong on the way, and nobody else was asked for anything", () => {
    expect(operator.faults).toEqual([]);
  });
});
