import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const CONFIG = `
model_list:
  - model_name: abroad
    litellm_params: { model: openai/gpt-4o, api_key: sk-a, region_name: eu, rpm: 100000, tpm: 25000000 }
  - model_name: abroad
    litellm_params: { model: openai/gpt-4o, api_key: sk-b, region_name: us }
  - model_name: at home
    litellm_params: { model: openai/gpt-4o, api_key: sk-a, api_base: "https://someone:secret@first.example.com/v1" }
  - model_name: at home
    litellm_params: { model: openai/gpt-4o, api_key: sk-b, api_base: "https://second.example.com/v1" }
  - model_name: same
    litellm_params: { model: openai/gpt-4o, api_key: sk-a }
    model_info: { id: mine }
  - model_name: same
    litellm_params: { model: openai/gpt-4o, api_key: sk-b }
    model_info: { id: yours }
  - model_name: alone
    litellm_params: { model: openai/gpt-4o, api_key: sk-a }
`;
const APART = ["eu", "us", "****@first.example.com/v1", "second.example.com/v1", "id mine", "id yours"];

describe.skipIf(browserMissing !== null)("deployments of one group with the same model, in a browser", () => {
  let walk: Walk;
  let operator: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("twins", {}, CONFIG);
    operator = await walk.operator();
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  for (const [list, path] of [
    ["Models", "/ui/operator/models"],
    ["Prices", "/ui/operator/prices"],
  ] as const) {
    test(
      `each says what tells it from the others: ${list}`,
      async () => {
        const { page } = operator;
        await operator.goTo(path);
        const table = page.getByRole("table", { name: list });
        for (const words of APART) await table.getByText(words, { exact: true }).waitFor();
        const alone = table.getByRole("row").filter({ hasText: "alone" });
        expect((await alone.getByRole("cell").first().innerText()).split(/\n+/)).toEqual(["alone", "openai/gpt-4o"]);
        expect(await operator.axe()).toEqual([]);
        await operator.screenshot(list.toLowerCase());
      },
      WALK_MS,
    );
  }

  test(
    "the drawing and the table of groups tell them apart, and switches are named apart",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/routing");
      const drawing = page.getByRole("group", { name: /^Groups with their other names/ });
      const table = page.getByRole("region", { name: "Groups" });
      for (const words of APART) {
        await drawing.getByText(words, { exact: true }).waitFor();
        await table.getByText(words, { exact: true }).waitFor();
      }
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("routing");
      await operator.goTo("/ui/operator/models");
      await page.getByRole("switch", { name: "same, id mine gets calls" }).waitFor();
      expect(await page.getByRole("switch", { name: "abroad, eu gets calls" }).count()).toBe(1);
    },
    WALK_MS,
  );

  test(
    "large limits are shown with separators",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/models");
      await page.getByRole("cell", { name: "100,000", exact: true }).waitFor();
      await page.getByText("eu", { exact: true }).click();
      const facts = page.getByRole("region", { name: "What it is" });
      await facts.getByText("100,000", { exact: true }).waitFor();
      await facts.getByText("25,000,000", { exact: true }).waitFor();
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );
});
