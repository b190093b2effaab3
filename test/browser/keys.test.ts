import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("keys, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let first = "";
  beforeAll(async () => {
    walk = await Walk.start("keys", {}, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const callWith = (key: string) =>
    fetch(`${walk.turnpike.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "small", messages: [{ role: "user", content: "Hello!" }] }),
    });
  const row = (name: string) => ada.page.getByRole("row").filter({ hasText: name });
  const choose = async (name: string, action: string) => {
    await ada.page.getByRole("button", { name: `What to do with ${name}` }).click();
    await ada.page.getByRole("menuitem", { name: action }).click();
  };

  test(
    "a key is made with limits, shown once, and calls a model",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Keys", exact: true }).click();
      await page.getByRole("heading", { name: "No keys yet" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("empty");
      await page.getByRole("button", { name: "New key" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New key" });
      await dialog.getByLabel("Name").fill("nightly job");
      await dialog.getByLabel("Budget").fill("a lot");
      await dialog.getByRole("button", { name: "Create the key" }).click();
      await dialog.getByText("An amount in US dollars").waitFor();
      await dialog.getByLabel("Budget").fill("12.5");
      await dialog.getByRole("button", { name: /Rates, models/ }).click();
      await dialog.getByLabel("Requests a minute").fill("60");
      await dialog.getByRole("combobox", { name: "Models" }).fill("small");
      await dialog.getByRole("combobox", { name: "Models" }).press("Enter");
      await dialog.getByRole("combobox", { name: "Tags" }).fill("night");
      await dialog.getByRole("combobox", { name: "Tags" }).press("Enter");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("new");
      await dialog.getByRole("button", { name: "Create the key" }).click();

      const shown = page.getByRole("dialog", { name: "Your key" });
      first = (await shown.getByTestId("secret").innerText()).trim();
      expect(first).toMatch(/^sk-/);
      await shown.getByRole("button", { name: "Copy the key" }).click();
      await ada.untilCopied(first);
      for (const language of ["Python", "TypeScript", "curl"]) {
        await shown.getByRole("tab", { name: language }).click();
        await shown.getByRole("tabpanel", { name: language }).getByText(first).waitFor();
      }
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("shown-once");
      expect((await callWith(first)).status).toBe(200);
      await shown.getByRole("button", { name: "I have kept it" }).click();
      await row("nightly job").getByText("$12.50").waitFor();
      expect(await page.content()).not.toContain(first);
    },
    WALK_MS,
  );

  test(
    "limits are changed, the key is switched off and on, rotated and removed",
    async () => {
      const { page } = ada;
      await choose("nightly job", "Change limits");
      const dialog = page.getByRole("dialog", { name: "Change nightly job" });
      await dialog.getByLabel("Budget").fill("0.25");
      await dialog.getByRole("combobox", { name: "For" }).click();
      await page.getByRole("option", { name: "a day" }).click();
      await dialog.getByRole("button", { name: "Save" }).click();
      await row("nightly job").getByText("$0.25").waitFor();
      await row("nightly job").getByText("60 requests/min", { exact: true }).waitFor();
      await row("nightly job").getByText("small", { exact: true }).waitFor();

      await choose("nightly job", "Switch off");
      await row("nightly job").getByText("off", { exact: true }).waitFor();
      expect((await callWith(first)).status).toBe(401);
      await choose("nightly job", "Switch on");
      await row("nightly job").getByText("off", { exact: true }).waitFor({ state: "detached" });
      expect((await callWith(first)).status).toBe(200);

      await choose("nightly job", "Rotate");
      const rotate = page.getByRole("dialog", { name: "Rotate nightly job" });
      await rotate.getByRole("combobox", { name: "The value that it has now" }).click();
      await page.getByRole("option", { name: "ends at once" }).click();
      await ada.screenshot("rotate");
      await rotate.getByRole("button", { name: "Rotate" }).click();
      const shown = page.getByRole("dialog", { name: "Your key" });
      const second = (await shown.getByTestId("secret").innerText()).trim();
      expect(second).not.toBe(first);
      await shown.getByRole("button", { name: "I have kept it" }).click();
      expect([(await callWith(first)).status, (await callWith(second)).status]).toEqual([401, 200]);

      await walk.fromPage(ada, "POST", "/api/gw/api-keys", { name: "laptop", teamId: await firstTeam() });
      await page.reload();
      await row("laptop").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("list");
      await page.getByLabel("Search").fill("lap");
      await page.waitForURL(/search=lap/);
      await row("nightly job").waitFor({ state: "detached" });
      await page.getByLabel("Search").fill("");
      await choose("nightly job", "Remove");
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await row("nightly job").waitFor({ state: "detached" });
      expect((await callWith(second)).status).toBe(401);
    },
    WALK_MS,
  );

  test(
    "a key whose limits are the operator's budget is changed in what else it has",
    async () => {
      const operator = await walk.operator();
      const small = { budget_id: "small", max_budget: 3, budget_duration: "7d", rpm_limit: 9 };
      await walk.fromPage(operator, "POST", "/budget/new", small);
      const { user } = await walk.fromPage<{ user: { id: number } }>(ada, "GET", "/api/auth/me");
      const mine = { team_id: await firstTeam(), user_id: String(user.id), key_alias: "lent", budget_id: "small" };
      await walk.fromPage(operator, "POST", "/key/generate", mine);
      await ada.page.reload();
      await row("lent").getByText("$3.00").waitFor();
      await choose("lent", "Change limits");
      const dialog = ada.page.getByRole("dialog", { name: "Change lent" });
      await dialog.getByLabel("Name").fill("lent for a while");
      await dialog.getByRole("button", { name: "Save" }).click();
      await row("lent for a while").getByText("$3.00").waitFor();
      await choose("lent for a while", "Change limits");
      const again = ada.page.getByRole("dialog", { name: "Change lent for a while" });
      await again.getByLabel("Budget").fill("30");
      await again.getByRole("button", { name: "Save" }).click();
      await again.getByText(/comes from the budget/).waitFor();
      await again.getByRole("button", { name: "Cancel" }).click();
    },
    WALK_MS,
  );

  test(
    "a warning by itself keeps the time that it is for",
    async () => {
      const body = { name: "warned", teamId: await firstTeam(), softBudget: 2_000_000_000, budgetWindow: "day" };
      const { id } = await walk.fromPage<{ id: string }>(ada, "POST", "/api/gw/api-keys", body);
      await ada.page.reload();
      await choose("warned", "Change limits");
      const dialog = ada.page.getByRole("dialog", { name: "Change warned" });
      expect(await dialog.getByRole("combobox", { name: "For" }).inputValue()).toBe("a day");
      await dialog.getByLabel("Name").fill("warned in time");
      await dialog.getByRole("button", { name: "Save" }).click();
      await row("warned in time").waitFor();
      const key = await walk.fromPage(ada, "GET", `/api/gw/api-keys/${id}`);
      expect(key).toMatchObject({ softBudget: 2_000_000_000, budgetWindow: "day" });
    },
    WALK_MS,
  );

  test(
    "the name of a key is never markup",
    async () => {
      const name = '<img src=x onerror="alert(1)">';
      await walk.fromPage(ada, "POST", "/api/gw/api-keys", { name, teamId: await firstTeam() });
      await ada.page.reload();
      await row(name).waitFor();
      await choose(name, "Remove");
      await ada.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  const firstTeam = async (): Promise<string | undefined> =>
    (await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams")).data[0]?.id;
});

const CONFIG = `
model_list:
  - model_name: small
    litellm_params: { model: echo/chat, input_cost_per_token: 0.000001, output_cost_per_token: 0.000004 }
general_settings: { signup_credits: 5 }
`;
