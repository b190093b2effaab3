import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { browserMissing } from "./chromium.ts";
import { looks } from "./looks.ts";
import { STILL_LOADING, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 240_000;
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A phone shows no other colours than a window does: it is looked at once. */
const LOOKS = [
  { size: WIDE, colorScheme: "light" },
  { size: WIDE, colorScheme: "dark" },
  { size: PHONE, colorScheme: "dark" },
] as const;

/** Every page that takes no parameter, as the folders of pages list them: a new page is looked at without a word here. */
const PAGES = pagesIn(fileURLToPath(new URL("../../web/src/pages", import.meta.url)));
const PUBLIC = ["/login", "/signup", "/forgot-password", "/reset-password", "/invitation", "/verify-email"];
const HUB = ["/model_hub_table", "/model_hub_table/small"];

describe.skipIf(browserMissing !== null)("every page, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  let operator: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("every-page", { TURNPIKE_MASTER_KEY: MASTER_KEY }, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
    operator = await walk.operator();
    await fill(walk, ada, operator);
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "a visitor's pages are read in light and dark, fit a phone, and ask for nobody who is not there",
    async () => {
      const visitor = await walk.visitor();
      const refused: string[] = [];
      visitor.page.on("response", (answer) => {
        if (answer.status() === 401) refused.push(`${visitor.page.url()}: ${answer.url()}`);
      });
      expect(await lookAtAll(visitor, [...PUBLIC, ...HUB])).toEqual([]);
      expect(refused).toEqual([]);
      expect(visitor.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "an owner's pages are read in light and dark, fit a phone, and name every control",
    async () => {
      const teams = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
      const runs = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/training/runs");
      const own = PAGES.filter((path) => !path.startsWith("/operator") && !PUBLIC.includes(path));
      const tabs = ["purchases", "ledger", "statements", "settings"].map((tab) => `/billing?tab=${tab}`);
      const things = ["/models/small", `/teams/${teams.data[0]?.id}`, `/training/runs/${runs.data[0]?.id}`];
      expect(await lookAtAll(ada, [...own, ...tabs, ...things])).toEqual([]);
      expect(ada.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "an operator's pages are read in light and dark, fit a phone, and name every control",
    async () => {
      const organizations = await walk.fromPage<{ data: { id: string }[] }>(
        operator,
        "GET",
        "/api/admin/organizations",
      );
      const models = await walk.fromPage<{ data: { id: string }[] }>(operator, "GET", "/api/admin/models");
      const things = [
        `/operator/organizations/${organizations.data[0]?.id}`,
        `/operator/models/${encodeURIComponent(models.data[0]?.id ?? "")}`,
      ];
      const own = PAGES.filter((path) => path.startsWith("/operator"));
      expect(own.length).toBeGreaterThan(15);
      expect(await lookAtAll(operator, [...own, ...things])).toEqual([]);
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );
});

function pagesIn(folder: string): string[] {
  const files = readdirSync(folder).map((area) => join(folder, area, "routes.ts"));
  const found = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/path: "([^"]+)"/g)]);
  return found.map(([, path = ""]) => path).filter((path) => !path.includes("$") && path !== "/connect");
}

async function lookAtAll({ page, url }: Visitor, paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    await page.goto(`${url}/ui${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.locator(STILL_LOADING).first().waitFor({ state: "detached" });
    for (const { size, colorScheme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const what of await page.evaluate<string[]>(looks))
        found.add(`${path}, ${colorScheme}, ${size.width}: ${what}`);
    }
    for (const what of nameless(await page.locator("body").ariaSnapshot())) found.add(`${path}: no name: ${what}`);
  }
  return [...found];
}

/** Controls and headings of columns that a screen reader has no word for. */
const nameless = (tree: string): string[] =>
  tree
    .split("\n")
    .filter((line) =>
      /^\s*- (button|link|textbox|searchbox|combobox|checkbox|switch|spinbutton|tab)\b(?! ")/.test(line),
    )
    .concat(tree.split("\n").filter((line) => /^\s*- columnheader(?! ")/.test(line)));

/** One of everything that a list can show. */
async function fill(walk: Walk, ada: Visitor, operator: Visitor): Promise<void> {
  const owns = (path: string, json: unknown) => walk.fromPage<{ id: string; key: string }>(ada, "POST", path, json);
  const { data } = await walk.fromPage<{ data: { id: string }[] }>(ada, "GET", "/api/gw/teams");
  const teamId = data[0]?.id;
  await owns("/api/gw/teams/invite-member", { teamId, email: "bob@example.com", role: "member" });
  const { key } = await owns("/api/gw/api-keys", { name: "nightly", teamId, budget: 50_000_000_000 });
  await owns("/api/gw/api-keys", { name: "ci", teamId });
  for (const name of ["hooks", "pager"])
    await owns("/api/webhook-endpoints", { url: `https://${name}.example/turnpike`, description: name });
  for (const name of ["north", "south"])
    await owns("/api/training/participants", { name, url: `http://127.0.0.1:9/${name}` });
  await owns("/api/training/runs", { plan: { name: "digits", rounds: 2, participants: ["north"], retries: 0 } });
  const call = (path: string, json: unknown) =>
    fetch(walk.turnpike.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(json),
    }).then((answer) => answer.text());
  for (const model of ["small", "broken"])
    await call("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hello!" }] });
  for (const name of ["Guide", "Scout"]) await call("/v1/assistants", { model: "small", name });
  for (let left = 2; left > 0; left--) await call("/v1/threads", {});
  for (const name of ["Handbook", "Atlas"]) await call("/v1/vector_stores", { name });
  await walk.fromPage(operator, "POST", "/api/admin/vouchers", { amountUsd: "25", count: 2 });
  for (const name of ["small words", "large words"]) {
    const definition = { guardrail: "word_list", words: [name] };
    await walk.fromPage(operator, "POST", "/api/admin/guardrails", { name, definition });
  }
  for (const budget_id of ["small", "large"]) await walk.fromPage(operator, "POST", "/budget/new", { budget_id });
}

const MASTER_KEY = "sk-operators-own-master-key-for-the-walk";
const PRICES = "input_cost_per_token: 0.00001, output_cost_per_token: 0.00004";
const CONFIG = `
model_list:
  - model_name: small
    litellm_params: { model: echo/chat, ${PRICES} }
  - model_name: broken
    litellm_params: { model: echo/chat, ${PRICES}, echo_fault: { status: 500 } }
router_settings: { num_retries: 0, fallbacks: [{ broken: [echo-completion] }], model_group_alias: { tiny: small } }
litellm_settings: { cache: true }
general_settings:
  log_level: error
  signup_credits: 5
  api_reads_per_minute: 100000
  api_writes_per_minute: 100000
  training: { allow_private_participants: true }
`;
