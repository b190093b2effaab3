import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { Walk } from "./walk.ts";

const WALK_MS = 120_000;

const CONFIG = `
model_list:
  - model_name: keyless
    litellm_params: { model: deepseek/deepseek-chat }
  - model_name: gift
    litellm_params: { model: echo/echo }
    model_info: { free: true }
`;

describe.skipIf(browserMissing !== null)("a model whose provider has no key, in a browser", () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await Walk.start("not-set-up", {}, CONFIG);
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "is not said to work to those who would call it, who find what is free",
    async () => {
      const ada = await walk.owner("ada@example.com", "Ada");
      const { page } = ada;
      await ada.goTo("/ui/models?search=keyless");
      const card = page.getByRole("article", { name: "keyless" });
      await card.getByText("Not available").waitFor();
      expect(await card.getByText("Works").count()).toBe(0);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("models");
      await ada.goTo("/ui/models");
      await page.getByRole("combobox", { name: "Input, 1M tokens" }).click();
      await page.getByRole("option", { name: "Free" }).click();
      await page.getByRole("article", { name: "gift" }).waitFor();
      await page.getByRole("article", { name: "echo", exact: true }).waitFor({ state: "detached" });

      await ada.goTo("/ui/playground");
      await page.getByRole("button", { name: "Make one and begin" }).click();
      await page.getByPlaceholder("default", { exact: true }).first().waitFor();
      // It begins with one that answers, though another one stands before it in the list.
      const model = page.getByRole("combobox", { name: "Model 1" });
      await page.waitForFunction("document.querySelector('[aria-label=\"Model 1\"]')?.value !== ''");
      expect(await model.inputValue()).toBe("gift");
      expect(await page.getByText("as it is", { exact: true }).count()).toBe(0);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("playground");
    },
    WALK_MS,
  );

  test(
    "tells operators what is to be set, and that of the others none was tried",
    async () => {
      const operator = await walk.operator();
      const { page } = operator;
      await operator.goTo("/ui/operator/models?search=keyless");
      const row = page.getByRole("row", { name: /keyless/ });
      await row.getByText("not set up", { exact: true }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("deployments");
      await row.click();
      await page
        .getByRole("alert")
        .getByText(/DeepSeek needs a key: set api_key .* DEEPSEEK_API_KEY/)
        .waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("deployment");
      await operator.goTo("/ui/operator/routing");
      const drawing = page.getByRole("group", { name: /^Groups with their other names/ });
      await drawing
        .getByText(/^not set up/)
        .first()
        .waitFor();
      await drawing
        .getByText(/^not tried yet/)
        .first()
        .waitFor();
      expect(await drawing.getByText(/^well/).count()).toBe(0);
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("routing");
    },
    WALK_MS,
  );
});
