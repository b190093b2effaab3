import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Moody, status, WELL } from "../upstreams/moody.ts";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const MASTER_KEY = "sk-operators-own-master-key-for-the-walk";
/** `steady` stands in for `fragile`, which the operator adds in the walk. */
const CONFIGURATION = `
model_list:
  - model_name: steady
    litellm_params: { model: echo/echo }
  - model_name: "openai/*"
    litellm_params: { model: "openai/*", api_key: sk-nobody, max_budget: 0, budget_duration: 1d }
router_settings:
  fallbacks: [{ fragile: [steady] }]
  context_window_fallbacks: [{ steady: [echo] }]
  model_group_alias: { brittle: fragile }
general_settings: { markup_percent: 12.5 }
`;

describe.skipIf(browserMissing !== null)("an operator and the models, in a browser", () => {
  let walk: Walk;
  let operator: Visitor;
  const upstream = new Moody("fragile");
  const folder = mkdtempSync(join(tmpdir(), "turnpike-operator-"));

  beforeAll(async () => {
    const file = join(folder, "turnpike.yaml");
    writeFileSync(file, CONFIGURATION);
    walk = await Walk.start("operator-models", { TURNPIKE_CONFIG: file, TURNPIKE_MASTER_KEY: MASTER_KEY });
    operator = await walk.operator();
  }, WALK_MS);
  afterAll(async () => {
    await walk?.close();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }, WALK_MS);

  /** Which group answered, and what it said. */
  async function ask(model: string): Promise<{ group: string | null; text: string }> {
    const answer = await fetch(`${walk.turnpike.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${MASTER_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Who are you?" }] }),
    });
    const body = (await answer.json()) as { choices?: { message: { content: string } }[] };
    return { group: answer.headers.get("x-gw-model-group"), text: body.choices?.[0]?.message.content ?? "" };
  }

  test(
    "a credential is kept, and never shown again",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/credentials");
      await page.getByRole("heading", { name: "No credentials yet" }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("credentials-empty");
      await page.getByRole("button", { name: "Keep a credential" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("combobox", { name: "Provider" }).fill("(openai)");
      await page.getByRole("option", { name: "OpenAI (openai)" }).click();
      await dialog.getByRole("textbox", { name: "Name" }).fill("house key");
      await dialog.getByRole("textbox", { name: "API key" }).fill("sk-very-secret-value");
      await dialog.getByRole("button", { name: "Keep it" }).click();
      await page.getByRole("cell", { name: "house key openai" }).waitFor();
      expect(await page.content()).not.toContain("sk-very-secret-value");
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("credentials");
    },
    WALK_MS,
  );

  test(
    "a deployment that has had no call is not said to be well",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/models?search=steady");
      const row = page.getByRole("row", { name: /steady/ });
      await row.getByText("not tried yet", { exact: true }).waitFor();
      await operator.screenshot("models-untried");
      expect((await ask("steady")).group).toBe("steady");
      await row.getByText("well", { exact: true }).waitFor();
    },
    WALK_MS,
  );

  test(
    "a deployment is tried out before it is added, and can be called at once",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/models");
      await page.getByRole("link", { name: "Add a model" }).click();
      await page.getByRole("heading", { level: 1, name: "Add a model" }).waitFor();
      await page.getByRole("button", { name: "Add the model" }).click();
      await page.getByText("Choose who serves it.").waitFor();
      await page.getByRole("combobox", { name: "Provider" }).fill("(openai)");
      await page.getByRole("option", { name: "OpenAI (openai)" }).click();
      await page.getByRole("textbox", { name: "Model at the provider" }).fill("gpt-4o-mini");
      await page.getByRole("textbox", { name: "Name for callers" }).fill("fragile");
      await page.getByRole("combobox", { name: "Kept credential" }).click();
      await page.getByRole("option", { name: "house key" }).click();
      await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/v1");
      await page.getByRole("button", { name: "Test the connection" }).click();
      await page.getByText("It does not answer").waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("add");
      await page.getByRole("textbox", { name: "Address" }).fill(upstream.address);
      await page.getByRole("button", { name: "Test the connection" }).click();
      await page.getByText("It answers").waitFor();
      await page.getByRole("textbox", { name: "Input", exact: true }).fill("0.15");
      await page.getByRole("button", { name: "Add the model" }).click();
      await page.getByRole("heading", { level: 1, name: "fragile" }).waitFor();
      expect(await ask("brittle")).toEqual({ group: "fragile", text: "I am fragile" });
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("model");
    },
    WALK_MS,
  );

  test(
    "when it breaks, another group answers, and the page shows that it rests",
    async () => {
      const { page } = operator;
      upstream.mood = status(500);
      for (let call = 0; call < 6; call++) expect((await ask("fragile")).group).toBe("steady");
      const running = page.getByRole("region", { name: "While it runs" });
      await running.getByText(/^resting, \d+ s$/).waitFor();
      await operator.screenshot("model-resting");
      await page.getByRole("button", { name: "Test" }).click();
      await page.getByText("It does not answer").waitFor();

      await operator.goTo("/ui/operator/routing");
      await page.getByRole("button", { name: /^fragile/ }).waitFor();
      expect(await operator.axe()).toEqual([]);
      // Who gets no calls is not drawn like who does.
      await page.locator("circle[data-state=spent]").first().waitFor();
      const dot = (state: string) =>
        page.evaluate(`getComputedStyle(document.querySelector("circle[data-state=${state}]")).fill`);
      expect(await dot("spent")).not.toBe(await dot("well"));
      await operator.screenshot("routing");
      // On a phone all of it is there without a swipe, and can be read.
      const wide = page.viewportSize() ?? { width: 1440, height: 900 };
      await page.setViewportSize({ width: 390, height: 844 });
      const runtime = () =>
        page.evaluate<string[]>(`(() => {
          const drawing = document.querySelector("svg[role=group]");
          const frame = drawing.parentElement.getBoundingClientRect();
          return [...drawing.querySelectorAll("text")].filter((text) => {
            const { left, right, height } = text.getBoundingClientRect();
            return left < frame.left || right > frame.right || height < 10;
          }).map(({ textContent }) => textContent);
        })()`);
      const patience = Date.now() + 20_000;
      while ((await runtime()).length > 0 && Date.now() < patience) await Bun.sleep(50);
      expect(await runtime()).toEqual([]);
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("routing-phone");
      await page.setViewportSize(wide);
      await page.getByRole("button", { name: /^fragile/ }).press("Enter");
      await page.getByRole("cell", { name: "fragile openai/gpt-4o-mini" }).waitFor();

      upstream.mood = WELL;
      await page.getByRole("cell", { name: "fragile openai/gpt-4o-mini" }).click();
      const end = running.getByRole("button", { name: "End the rest" });
      await end
        .or(running.getByText("well", { exact: true }))
        .first()
        .waitFor();
      if (await end.isVisible()) await end.click();
      await running.getByText("well", { exact: true }).waitFor();
      expect((await ask("fragile")).group).toBe("fragile");
    },
    WALK_MS,
  );

  test(
    "weights, the switch, rests and prices are set while it runs",
    async () => {
      const { page } = operator;
      const running = page.getByRole("region", { name: "While it runs" });
      await running.getByRole("textbox", { name: "Weight" }).fill("3");
      await running.getByRole("button", { name: "Set" }).click();
      await running.getByText("Its part of the calls is 3").waitFor();
      await running.getByRole("combobox", { name: "Let it rest for" }).click();
      await page.getByRole("option", { name: "an hour" }).click();
      await running.getByRole("button", { name: "Begin" }).click();
      await running.getByText(/^resting, (5\d|60) min$/).waitFor();
      // It is counted by the server's clock, whatever the browser's says.
      const late = await walk.operator();
      await late.page.addInitScript("const now = Date.now; Date.now = () => now() - 7_200_000");
      await late.goTo(new URL(page.url()).pathname);
      const seen = late.page.getByRole("region", { name: "While it runs" });
      await seen.getByText(/^resting, (5\d|60) min$/).waitFor();
      await late.context.close();
      // What a badge says is never cut off, however long the rest.
      const path = new URL(page.url()).pathname.split("/").at(-1);
      const rest = { action: "start", seconds: 86_400 };
      await walk.fromPage(operator, "POST", `/api/admin/deployments/${path}/cooldown`, rest);
      await running.getByText("resting, 24 h", { exact: true }).waitFor();
      const here = page.url();
      for (const list of ["models", "routing"]) {
        await operator.goTo(`/ui/operator/${list}`);
        await page.getByText("resting, 24 h", { exact: true }).first().waitFor();
        await operator.screenshot(`${list}-resting`);
      }
      await page.goto(here);
      await running.getByRole("button", { name: "End the rest" }).click();
      await running.getByText("well", { exact: true }).waitFor();
      await running.getByRole("switch", { name: "fragile gets calls" }).press("Space");
      await running.getByText("off", { exact: true }).waitFor();
      const before = upstream.calls;
      expect((await ask("fragile")).group).toBe("steady");
      expect(upstream.calls).toBe(before);
      await running.getByRole("switch", { name: "fragile gets calls" }).press("Space");
      await running.getByText("well", { exact: true }).waitFor();

      await operator.goTo("/ui/operator/prices?search=fragile");
      await page.getByRole("button", { name: "Change the price of fragile" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Output" }).fill("cheap");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText("An amount in USD").waitFor();
      await dialog.getByRole("textbox", { name: "Output" }).fill("0.8");
      await dialog.getByRole("button", { name: "Save" }).click();
      // With the installation's mark-up of 12.5 %.
      await page.getByText("$0.90", { exact: true }).waitFor();
      await operator.goTo("/ui/operator/prices");
      await page.getByRole("cell", { name: "fragile openai/gpt-4o-mini" }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("prices");
      // With the mark-up of 12.5 %; what is not counted in tokens has no price for them.
      const units = {
        "echo-image": ["$0.001 / picture", "$0.001125 / picture"],
        "echo-speech": ["$1.00 / 1M characters", "$1.125 / 1M characters"],
        "echo-transcription": ["$0.0001 / second", "$0.0001125 / second"],
      };
      for (const [name, [cost = "", charged = ""]] of Object.entries(units)) {
        const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
        await row.getByRole("cell", { name: cost, exact: true }).waitFor();
        await row.getByRole("cell", { name: charged, exact: true }).waitFor();
        expect(await row.getByText("$0.00", { exact: true }).count()).toBe(0);
      }
      await operator.goTo("/ui/operator/models");
      await page.getByRole("cell", { name: "fragile openai/gpt-4o-mini" }).waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("models");
    },
    WALK_MS,
  );

  test(
    "aliases, fallbacks and the mark-up are changed on the page, and given back to the file",
    async () => {
      const { page } = operator;
      await operator.goTo("/ui/operator/routing");
      await page.getByRole("button", { name: "New alias" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Alias" }).fill("rock");
      await dialog.getByRole("combobox", { name: "Stands for" }).click();
      await page.getByRole("option", { name: "steady", exact: true }).click();
      expect(await operator.axe()).toEqual([]);
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Remove rock" }).waitFor();
      expect((await ask("rock")).group).toBe("steady");

      await page.getByRole("button", { name: "Change fallback of fragile, when whatever fails" }).click();
      await dialog.getByRole("combobox", { name: "Stand in" }).press("Backspace");
      await dialog.getByRole("combobox", { name: "Stand in" }).press("Tab");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("region", { name: "Fallbacks" }).getByText("in place of steady").waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("routing-changed");
      await page.getByRole("button", { name: "Back to the file's" }).click();
      await page
        .getByRole("region", { name: "Fallbacks" })
        .getByText("in place of steady")
        .waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Remove rock" }).click();
      await dialog.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("button", { name: "Remove rock" }).waitFor({ state: "detached" });

      await operator.goTo("/ui/operator/prices?search=fragile");
      await page.getByRole("button", { name: "Change the mark-up" }).click();
      await dialog.getByRole("textbox", { name: "Mark-up" }).fill("100");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("in place of the configuration file's 12.5%").waitFor();
      await page.getByText("$1.60", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Back to the file's" }).click();
      await page.getByText("$0.90", { exact: true }).waitFor();
      await operator.goTo("/ui/operator/models");
    },
    WALK_MS,
  );

  test(
    "a deployment is changed and removed",
    async () => {
      const { page } = operator;
      await page.getByRole("cell", { name: "fragile openai/gpt-4o-mini" }).click();
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await operator.screenshot("model-edit");
      await page.getByRole("textbox", { name: "Name for callers" }).fill("fragile-two");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { level: 1, name: "fragile-two" }).waitFor();
      expect((await ask("fragile-two")).text).toBe("I am fragile");
      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { level: 1, name: "Deployments" }).waitFor();
      await page.getByRole("cell", { name: "steady echo/echo" }).first().waitFor();
      await page
        .getByRole("cell", { name: /^fragile/ })
        .first()
        .waitFor({ state: "detached" });
      await operator.goTo("/ui/operator/credentials");
      await page.getByRole("button", { name: "Remove house key" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { name: "No credentials yet" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "who adds, changes or switches on a model without a price reads what keys would meet",
    async () => {
      const { page } = operator;
      const odd = page.getByRole("alert").filter({ hasText: "`own` has no known price" });
      const read = async () => {
        await odd.getByRole("button", { name: "Close" }).click();
        await odd.waitFor({ state: "detached" });
      };
      await operator.goTo("/ui/operator/models");
      await page.getByRole("link", { name: "Add a model" }).click();
      await page.getByRole("combobox", { name: "Provider" }).fill("(openai)");
      await page.getByRole("option", { name: "OpenAI (openai)" }).click();
      await page.getByRole("textbox", { name: "Model at the provider" }).fill("acme-own-1");
      await page.getByRole("textbox", { name: "Name for callers" }).fill("own");
      await page.getByRole("button", { name: "Add the model" }).click();
      await page.getByRole("heading", { level: 1, name: "own" }).waitFor();
      await odd.waitFor();
      expect(await operator.axe()).toEqual([]);
      await operator.screenshot("model-unpriced");
      await read();

      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByRole("textbox", { name: "Model at the provider" }).fill("acme-own-2");
      await page.getByRole("button", { name: "Save" }).click();
      await read();
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByRole("switch", { name: "In use" }).press("Space");
      await page.getByRole("switch", { name: "In use", checked: false }).press("Space");
      await read();
      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("heading", { level: 1, name: "Deployments" }).waitFor();
    },
    WALK_MS,
  );

  test("nothing went wrong on the way, and nobody else was asked for anything", () => {
    expect(operator.faults).toEqual([]);
  });
});
