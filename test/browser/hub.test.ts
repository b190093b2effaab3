import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("the models, in a browser", () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await Walk.start("hub", {}, CONFIG);
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "the hub is open to everybody: search, filter, compare, copy, examples",
    async () => {
      const visitor = await walk.visitor();
      const { page } = visitor;
      await visitor.goTo("/ui/model_hub_table");
      await page.getByRole("article", { name: "gpt-4o", exact: true }).waitFor();
      expect(await visitor.axe()).toEqual([]);
      await visitor.screenshot("hub");

      await page.getByRole("textbox", { name: "Search" }).fill("claude");
      await page.getByRole("article", { name: "gpt-4o", exact: true }).waitFor({ state: "detached" });
      await page.getByRole("article", { name: "claude-sonnet" }).waitFor();
      await page.waitForURL(/search=claude/);
      await page.getByRole("textbox", { name: "Search" }).fill("nothing like it");
      await page.getByRole("heading", { name: "No model fits" }).waitFor();
      await page.getByRole("textbox", { name: "Search" }).fill("");
      await page.getByRole("article", { name: "gpt-4o", exact: true }).waitFor();
      await page.getByRole("combobox", { name: "Capability" }).click();
      await page.getByRole("option", { name: "Vision" }).click();
      await page.getByRole("article", { name: "echo-embedding" }).waitFor({ state: "detached" });

      await page.getByRole("checkbox", { name: "Compare gpt-4o", exact: true }).check();
      await page.getByRole("checkbox", { name: "Compare team/large" }).check();
      await page.getByText("Table", { exact: true }).click();
      await page.getByRole("table", { name: "Models" }).waitFor();
      expect(await visitor.axe()).toEqual([]);
      await visitor.screenshot("hub-table");
      await page.getByRole("button", { name: "Compare", exact: true }).click();
      const comparison = page.getByRole("table", { name: "Comparison" });
      await comparison.getByText("Longest answer, tokens").waitFor();
      expect(await visitor.axe()).toEqual([]);
      await visitor.screenshot("compare");
      await page.keyboard.press("Escape");

      await page.getByRole("button", { name: "Copy the id gpt-4o", exact: true }).click();
      await visitor.untilCopied("gpt-4o");
      await page.getByRole("link", { name: "gpt-4o", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: /gpt-4o/ }).waitFor();
      await page.getByText('"Authorization: Bearer $TURNPIKE_KEY"').waitFor();
      await page.getByRole("tab", { name: "Python" }).click();
      await page.getByText('model="gpt-4o"').waitFor();
      expect(await visitor.axe()).toEqual([]);
      await visitor.screenshot("model");

      await visitor.goTo("/ui/model_hub_table/echo");
      const abilities = page.getByRole("region", { name: "Capabilities" });
      for (const name of ["Tools", "Parallel tools", "JSON schema"])
        await abilities.getByText(name, { exact: true }).waitFor();
      expect(await page.getByText("not known", { exact: true }).count()).toBe(2);
      expect(await page.getByText("tokens", { exact: true }).count()).toBe(0);
      await visitor.screenshot("model-echo");

      await visitor.goTo("/ui/model_hub_table/team%2Flarge");
      await page.getByRole("heading", { level: 1, name: "team/large" }).waitFor();
      await page.getByRole("heading", { name: "Examples" }).waitFor();
      await visitor.goTo("/ui/model_hub_table/nothing");
      await page.getByText("There is no model of this name").waitFor();
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a model that nobody could be charged for does not say that it works, and one that costs nothing does",
    async () => {
      const visitor = await walk.visitor();
      const { page } = visitor;
      const card = (name: string) => page.getByRole("article", { name, exact: true });
      await visitor.goTo("/ui/model_hub_table");
      await card("unpriced").getByText("No price", { exact: true }).waitFor();
      expect(await card("unpriced").getByText("Works").count()).toBe(0);
      for (const name of ["gift", "gpt-4o", "echo-moderation"]) {
        await card(name).getByText("Works", { exact: true }).waitFor();
        expect(
          await card(name)
            .getByText(/no price|not known/i)
            .count(),
        ).toBe(0);
      }
      await card("gift").getByText("Free", { exact: true }).waitFor();
      await page.getByText("Table", { exact: true }).click();
      await page.getByRole("row", { name: "unpriced" }).getByText("No price", { exact: true }).waitFor();
      await page.getByRole("link", { name: "unpriced", exact: true }).click();
      await page.getByText("It cannot be called until the operator states a price.").waitFor();
      expect(await visitor.axe()).toEqual([]);
      await visitor.screenshot("model-unpriced");
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "without scripts the hub is a list that can be searched, and each model a page",
    async () => {
      const visitor = await walk.visitor({ javaScript: false });
      const { page } = visitor;
      await visitor.goTo("/ui/model_hub_table");
      await page.getByRole("link", { name: "gpt-4o", exact: true }).waitFor();
      expect(await page.getByRole("row").count()).toBeGreaterThan(8);
      await visitor.screenshot("hub-plain");
      await page.getByRole("textbox", { name: "Search" }).fill("team");
      await page.getByRole("button", { name: "Search" }).click();
      expect(await page.getByRole("row").count()).toBe(2);
      await page.getByRole("link", { name: "team/large" }).click();
      await page.getByRole("heading", { level: 1, name: "team/large" }).waitFor();
      await visitor.screenshot("model-plain");
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "who is signed in has the same models among their pages",
    async () => {
      const ada: Visitor = await walk.owner("ada@example.com", "Ada");
      const { page } = ada;
      await page.getByRole("link", { name: "Models", exact: true }).click();
      await page.getByRole("article", { name: "gpt-4o", exact: true }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("models");
      await page.getByRole("link", { name: "claude-sonnet" }).click();
      await page.getByRole("link", { name: "Try it" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("model-signed-in");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );
});

const CONFIG = `
model_list:
  - { model_name: gpt-4o, litellm_params: { model: openai/gpt-4o, api_key: sk-none } }
  - { model_name: gpt-4o-mini, litellm_params: { model: openai/gpt-4o-mini, api_key: sk-none } }
  - { model_name: claude-sonnet, litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: sk-none } }
  - { model_name: team/large, litellm_params: { model: openai/gpt-4.1, api_key: sk-none } }
  - { model_name: text-embedding, litellm_params: { model: openai/text-embedding-3-large, api_key: sk-none } }
  - { model_name: unpriced, litellm_params: { model: openai_like/ours, api_base: "https://llm.example.com/v1" } }
  - model_name: gift
    litellm_params: { model: hosted_vllm/ours, api_base: "http://127.0.0.1:9/v1" }
    model_info: { free: true }
`;
