import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

/** At the beginning of a month a pace says nothing. Runs in the browser: "now" is moved, and goes on. */
const IN_THE_MIDDLE_OF_THE_MONTH = `{
  const Known = Date;
  const shift = (15 - new Known().getDate()) * 86_400_000;
  globalThis.Date = class extends Known {
    constructor(...given) {
      super(...(given.length === 0 ? [Known.now() + shift] : given));
    }
    static now() {
      return Known.now() + shift;
    }
  };
}`;

describe.skipIf(browserMissing !== null)("overview, usage and logs, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let key = { id: "", key: "" };
  beforeAll(async () => {
    walk = await Walk.start("usage", {}, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const callModel = (model: string, more: object = {}, headers: Record<string, string> = {}) =>
    fetch(`${walk.turnpike.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello, how are you?" }], ...more }),
    }).then((response) => response.text());
  /** Calls are settled a moment after their answer. */
  const settled = async (count: number): Promise<void> => {
    for (let left = 200; left > 0; left--) {
      const { meta } = await walk.fromPage<{ meta: { total: number } }>(ada, "GET", "/api/gw/logs?pageSize=1");
      if (meta.total >= count) return;
      await Bun.sleep(50);
    }
    throw new Error(`there were never ${count} calls in the log`);
  };

  test(
    "somebody new sees what is left to do, and empty pages say what to do next",
    async () => {
      const { page } = ada;
      await page.getByRole("heading", { name: "Three steps to the first answer" }).waitFor();
      await page.getByText("No calls yet. They stand here").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("overview-empty");
      await page.getByRole("link", { name: "Usage", exact: true }).click();
      await page.getByRole("heading", { name: "Nothing to count" }).waitFor();
      await page.getByRole("link", { name: "Logs", exact: true }).click();
      await page.getByRole("heading", { name: "No calls in this time" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("logs-empty");
    },
    WALK_MS,
  );

  test(
    "the overview has balance, spend, requests, errors and latency, with charts",
    async () => {
      const { page } = ada;
      const teams = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
      const teamId = teams.data[0]?.id;
      key = await walk.fromPage(ada, "POST", "/api/gw/api-keys", { name: "nightly job", teamId, tags: ["night"] });
      for (let n = 0; n < 6; n++) await callModel("small");
      for (let n = 0; n < 3; n++) await callModel("large", { stream: true }, { "x-gw-tags": "report" });
      await callModel("fragile");
      await callModel("broken");
      await settled(11);
      await page.getByRole("link", { name: "Overview", exact: true }).click();
      await page.getByRole("heading", { name: "Spend by model" }).waitFor();
      await page.reload();
      await page.locator("path.recharts-rectangle").first().waitFor();
      await page.getByText("Requests today").waitFor();
      await page.getByText("Time per call today").waitFor();
      await page.getByText(/^first byte [\d.]+ m?s$/).waitFor();
      await page.getByRole("table", { name: "Latest calls" }).getByText("nightly job").first().waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("overview");
      // On a phone too, a call that failed is none that cost nothing.
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("table", { name: "Latest calls" }).getByText("failed").filter({ visible: true }).waitFor();
      await ada.goTo("/ui/logs");
      await page.getByRole("table", { name: "Calls" }).getByText("failed").filter({ visible: true }).waitFor();
      await page.setViewportSize({ width: 1280, height: 860 });
      await ada.goTo("/ui");
      await page.getByText("30 days", { exact: true }).click();
      await page.waitForURL(/range=month/);
      await page.locator("path.recharts-rectangle").first().waitFor();
      await ada.screenshot("overview-month");
    },
    WALK_MS,
  );

  test(
    "how long the balance lasts is told to those who see all that is spent, and of nothing less",
    async () => {
      const bob = await walk.developer(ada, "bob@example.com", "Bob");
      const [all, part] = [await ada.context.newPage(), bob.page];
      for (const page of [all, part]) {
        await page.addInitScript(IN_THE_MIDDLE_OF_THE_MONTH);
        await page.goto(`${walk.turnpike.url}/ui`);
        await page.getByText(/^\d+ requests$/).waitFor();
      }
      await all.getByText("at this month's pace").waitFor();
      expect(await part.getByText("at this month's pace").count()).toBe(0);
      await all.close();
      expect(bob.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "usage is told apart by model, key, team, member, endpoint and tag, and exported",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Usage", exact: true }).click();
      const table = page.getByRole("table");
      await table.getByRole("link", { name: "large" }).waitFor();
      await page.locator("path.recharts-rectangle").first().waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("usage");
      await page.getByRole("combobox", { name: "By what" }).click();
      await page.getByRole("option", { name: "By endpoint" }).click();
      await page.getByRole("table", { name: "Usage by endpoint" }).getByText("/v1/chat/completions").waitFor();
      await page.getByText("as far back as the log does").waitFor();
      const seen: Readonly<Record<string, string>> = {
        key: "nightly job",
        team: "Default",
        member: "ada@example.com",
        tag: "report",
      };
      for (const [by, name] of Object.entries(seen)) {
        await page.getByRole("combobox", { name: "By what" }).click();
        await page.getByRole("option", { name: `By ${by}` }).click();
        await page
          .getByRole("table", { name: `Usage by ${by}` })
          .getByRole("link", { name })
          .waitFor();
      }
      // That of the calls, and that of their key.
      expect(await page.getByRole("table", { name: "Usage by tag" }).getByRole("row").count()).toBe(3);
      await page.getByRole("radiogroup", { name: "What is drawn" }).getByText("Requests").click();
      await page.waitForURL(/show=requests/);
      await ada.screenshot("usage-tags");
      await page.getByRole("button", { name: "Export" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: "This table as CSV" }).click(),
      ]);
      const text = await Bun.file(await file.path()).text();
      expect(text).toStartWith("tag,id,requests");
      expect(text).toMatch(/^report,report,3,/m);
      await page.getByRole("button", { name: "Export" }).click();
      const [calls] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: "All calls as CSV" }).click(),
      ]);
      expect((await Bun.file(await calls.path()).text()).trim().split("\n")).toHaveLength(12);
    },
    WALK_MS,
  );

  test(
    "logs are narrowed in the address bar, and a call opens with its attempts, tokens and cost",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Logs", exact: true }).click();
      await page.getByRole("row").filter({ hasText: "large" }).first().waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("logs");
      await page.getByRole("combobox", { name: "How it ended" }).click();
      await page.getByRole("option", { name: "All errors" }).click();
      await page.waitForURL(/status=failure/);
      await page.getByText("1 in all").waitFor();
      await page.getByRole("button", { name: "Show all" }).click();
      await page.getByRole("combobox", { name: "Model" }).fill("fragile");
      await page.waitForURL(/model=fragile/);
      await page.getByText("1 in all").waitFor();
      await page.getByRole("row").filter({ hasText: "fragile" }).press("Enter");
      const drawer = page.getByRole("dialog", { name: "Call" });
      await drawer.getByText("Whole call").waitFor();
      await drawer.getByText(/1\. echo/).waitFor();
      await ada.screenshot("call");
      await drawer.getByText(/2\. echo/).waitFor();
      await drawer.getByRole("region", { name: "Cost" }).getByText("In all").waitFor();
      await drawer.getByRole("region", { name: "Used" }).getByText("Tokens out").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("call");
      // "Back" closes what was opened, and leaves the list as it was.
      await page.goBack();
      await drawer.waitFor({ state: "detached" });
      expect(page.url()).toEndWith("/ui/logs?model=fragile");
      await page.goForward();
      await drawer.getByText("Whole call").waitFor();
      await drawer.getByRole("button", { name: "Close" }).click();
      await drawer.waitFor({ state: "detached" });
      expect(page.url()).toEndWith("/ui/logs?model=fragile");
      await page.getByRole("row").filter({ hasText: "fragile" }).press("Enter");
      await page.reload();
      await page.getByRole("dialog", { name: "Call" }).getByText("Whole call").waitFor();
      await page.getByRole("dialog", { name: "Call" }).getByRole("button", { name: "Close" }).click();
    },
    WALK_MS,
  );

  test(
    "the live tail shows a call as it comes in, and markup stays text",
    async () => {
      const { page } = ada;
      await page.getByRole("button", { name: "Show all" }).click();
      await page.getByRole("switch", { name: "Live" }).click();
      await page.waitForURL(/live=1/);
      await page.getByText("11 in all").waitFor();
      const markup = "<img src=x onerror=alert(1)>";
      await callModel("small", { user: markup });
      await page.getByText("12 in all").waitFor();
      await page.getByRole("button", { name: /^More/ }).click();
      await page.getByLabel("End user").fill(markup);
      await page.getByText("1 in all").waitFor();
      await ada.screenshot("logs-more");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "how a call ended is written out, beside a key with a long name",
    async () => {
      const { page } = ada;
      const teams = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
      const name =
        "the key of somebody who has given it a name of many words, because nobody has told them to be brief";
      key = await walk.fromPage(ada, "POST", "/api/gw/api-keys", { name, teamId: teams.data[0]?.id, budget: 1 });
      await callModel("small");
      await settled(13);
      await callModel("small");
      await settled(14);
      await ada.goTo("/ui/logs");
      await page.getByRole("table", { name: "Calls" }).getByText("refused").filter({ visible: true }).first().waitFor();
      await ada.screenshot("refused");
      // What went wrong breaks between its words, not inside of them.
      await page.setViewportSize({ width: 1024, height: 860 });
      expect(await ada.brokenWords()).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 860 });
      await ada.goTo("/ui");
      await page
        .getByRole("table", { name: "Latest calls" })
        .getByText("refused")
        .filter({ visible: true })
        .first()
        .waitFor();
      await ada.screenshot("refused-latest");
      expect(await ada.brokenWords()).toEqual([]);
      const team = { name: "A team with an extremely long name that nobody would give to one, but somebody does" };
      await walk.fromPage(ada, "PATCH", `/api/gw/teams/${teams.data[0]?.id}`, team);
      await page.setViewportSize({ width: 1024, height: 860 });
      await ada.goTo("/ui/keys");
      await page.getByRole("row").filter({ hasText: team.name }).first().waitFor();
      expect(await ada.brokenWords()).toEqual([]);
      await ada.goTo("/ui/billing?tab=statements");
      await page.getByRole("table", { name: "Usage by model and team" }).waitFor();
      await ada.screenshot("statement");
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );
});

const PRICES = "input_cost_per_token: 0.00001, output_cost_per_token: 0.00004";
const CONFIG = `
model_list:
  - model_name: small
    litellm_params: { model: echo/chat, ${PRICES} }
  - model_name: large
    litellm_params: { model: echo/chat, input_cost_per_token: 0.0002, output_cost_per_token: 0.0008, echo_fault: { delay_ms: 60, token_delay_ms: 5 } }
  - model_name: fragile
    litellm_params: { model: echo/chat, ${PRICES}, echo_fault: { delay_ms: 20, status: 500 } }
  - model_name: broken
    litellm_params: { model: echo/chat, ${PRICES}, echo_fault: { status: 500 } }
router_settings:
  num_retries: 1
  fallbacks: [{ fragile: [small] }]
general_settings: { signup_credits: 5 }
`;
