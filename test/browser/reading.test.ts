import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { longPromptAddress } from "../services/long-prompt-upstream.ts";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const PHONE = { width: 390, height: 844 };
const WINDOW = { width: 1280, height: 860 };
const LONG_MODEL = "amodelwithalongname".repeat(5);
const CONFIG = `
model_list:
  - model_name: twin
    litellm_params: { model: echo/chat, weight: 2, input_cost_per_token: 0.000001, output_cost_per_token: 0.000001 }
  - model_name: twin
    litellm_params: { model: echo/chat, weight: 1, input_cost_per_token: 0.000001, output_cost_per_token: 0.000001 }
  - model_name: ${LONG_MODEL}
    litellm_params: { model: hosted_vllm/m, api_base: "${longPromptAddress}", input_cost_per_token: 0.0001, output_cost_per_token: 0 }
general_settings: { signup_credits: 0.5 }
`;

describe.skipIf(browserMissing !== null)("what pages say, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let operator: Visitor;
  let team = { id: "", name: "" };
  let key = "";
  beforeAll(async () => {
    walk = await Walk.start("reading", {}, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
    operator = await walk.operator();
    const teams = await walk.fromPage<{ data: { id: string; name: string }[] }>(ada, "GET", "/api/gw/teams");
    team = teams.data[0] ?? team;
    const body = { name: "ci", teamId: team.id };
    key = (await walk.fromPage<{ key: string }>(ada, "POST", "/api/gw/api-keys", body)).key;
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  async function ask(model: string): Promise<void> {
    const answer = await fetch(`${walk.turnpike.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello, how are you?" }] }),
    });
    await answer.text();
  }
  /** Calls are in the log a moment after their answer. */
  async function untilLogged(count: number): Promise<void> {
    for (;;) {
      const { meta } = await walk.fromPage<{ meta: { total: number } }>(ada, "GET", "/api/gw/logs?pageSize=1");
      if (meta.total >= count) return;
      await Bun.sleep(50);
    }
  }
  /** And their cost is taken off the credit then. */
  async function untilSpent(): Promise<void> {
    for (;;) {
      const { balance } = await walk.fromPage<{ balance: number }>(ada, "GET", "/api/balance");
      if (balance <= 0) return;
      await Bun.sleep(50);
    }
  }
  const titled = ({ page }: Visitor, title: string) => page.waitForFunction(hasTitle, `${title} · Turnpike`);

  test(
    "a tab is called as what it shows: a team, a model and an organization by their names",
    async () => {
      await ada.goTo(`/ui/teams/${team.id}`);
      await titled(ada, team.name);
      await ada.page.getByRole("link", { name: "All teams" }).click();
      await ada.page.waitForURL(/\/ui\/teams$/);
      await titled(ada, "Teams");
      await ada.page.getByRole("link", { name: team.name }).waitFor();
      await ada.page.goBack();
      await titled(ada, team.name);
      await ada.goTo("/ui/models/twin");
      await titled(ada, "twin");
      await ada.goTo("/ui/nowhere");
      await titled(ada, "No such page");
      await operator.goTo("/ui/operator/organizations");
      await operator.page.getByText("Ada's company").click();
      await titled(operator, "Ada's company");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "how long ago a call was goes on while the page is open",
    async () => {
      await ask("twin");
      await ask(LONG_MODEL);
      await untilLogged(2);
      const { page } = ada;
      await page.clock.install();
      await ada.goTo("/ui/logs");
      const when = page.getByRole("table", { name: "Calls" }).locator("time").first();
      await when.filter({ hasText: /^(now|\d+ seconds? ago)$/ }).waitFor();
      await page.clock.fastForward("05:00");
      await when.filter({ hasText: "5 minutes ago" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "times in lists stand on one line on a phone",
    async () => {
      const { page } = ada;
      await page.setViewportSize(PHONE);
      for (const path of ["/ui/logs", "/ui/audit"]) {
        await ada.goTo(path);
        const when = page.locator("td time").first();
        await when.waitFor();
        expect(await when.evaluate(lines)).toBe(1);
      }
      await page.setViewportSize(WINDOW);
    },
    WALK_MS,
  );

  test(
    "a long name is not cut off beside a chart",
    async () => {
      await ada.goTo("/ui/usage");
      await ada.page.getByText("amodelwithalongname").first().waitFor();
      await ada.page.locator(".recharts-legend-wrapper").first().waitFor();
      await ada.screenshot("long-name");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a team with a long name is deleted by its whole name, which a dialog has room for",
    async () => {
      const { page } = ada;
      const name = "Ateamwithalongname".repeat(5);
      await walk.fromPage(ada, "POST", "/api/gw/teams", { name });
      await ada.goTo("/ui/teams");
      await page.getByRole("link", { name }).click();
      await page.getByRole("button", { name: "Delete the team" }).click();
      await page.getByRole("dialog").getByRole("textbox").fill(name);
      await ada.screenshot("delete-long-name");
      expect(ada.faults).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await titled(ada, "Teams");
      await page.getByRole("link", { name }).waitFor({ state: "detached" });
    },
    WALK_MS,
  );

  test(
    "a member, who sees the calls of their teams alone, is told so",
    async () => {
      const bob = await walk.developer(ada, "bob@example.com", "Bob");
      await bob.page.getByText("Ada's company: calls of your teams").waitFor();
      await bob.goTo("/ui/logs");
      await bob.page.getByText("Every call of your teams.").waitFor();
      await bob.goTo("/ui/usage");
      await bob.page.getByText("Calls of your teams and what they cost.").waitFor();
      await ada.goTo("/ui/logs");
      await ada.page.getByText("Every call.", { exact: true }).waitFor();
      expect(bob.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "an overview without credit says that calls are refused, and leads to where it is bought",
    async () => {
      const { page } = ada;
      for (let call = 0; call < 4; call++) await ask(LONG_MODEL);
      await untilSpent();
      await ada.goTo("/ui");
      await page.getByText("calls are refused").waitFor();
      await page.getByRole("link", { name: "buy credits" }).click();
      await page.getByRole("heading", { level: 1, name: "Billing" }).waitFor();
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "the drawing of the routing tells the weight of a deployment once",
    async () => {
      await operator.goTo("/ui/operator/routing");
      const drawing = operator.page.getByRole("group", { name: /^Groups with their other names/ });
      await drawing.getByText("weight 2").first().waitFor();
      expect(await drawing.getByText("weight 2").count()).toBe(1);
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "prices are changed from the list on a phone too",
    async () => {
      const { page } = operator;
      const model = { provider: "openai", inferenceModelId: "gpt-4o", name: "house" };
      await walk.fromPage(operator, "POST", "/api/admin/models", model);
      await page.setViewportSize(PHONE);
      await operator.goTo("/ui/operator/prices?search=house");
      await page.getByRole("button", { name: "Change the price of house" }).click();
      await page.getByRole("dialog").getByRole("textbox", { name: "Input", exact: true }).fill("3.25");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "$3.25" }).waitFor();
      await page.setViewportSize(WINDOW);
      await operator.screenshot("prices");
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );
});

/** Runs in the browser. */
const hasTitle = (title: string): boolean =>
  (globalThis as unknown as { document: { title: string } }).document.title === title;

/** On how many lines something stands. Runs in the browser. */
const lines = (element: unknown): number =>
  (element as { getClientRects(): ArrayLike<unknown> }).getClientRects().length;
