import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { builtInTable } from "../../src/catalog/model-facts.ts";
import { checkConfig } from "../../src/start/check-config.ts";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { postgresMissing } from "../services/postgres.ts";
import { freshDatabase } from "../storage/databases.ts";

const CONFIGURATION = `
model_list:
  - model_name: listed
    litellm_params: { model: openai/gpt-4o-mini, api_key: k }
    model_info: { id: listed-1 }
  - model_name: stated
    litellm_params: { model: openai/gpt-4o, api_key: k, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
    model_info: { id: stated-1, max_output_tokens: 5, max_input_tokens: 5 }
  - model_name: "any/*"
    litellm_params: { model: openai/*, api_key: k }
`;
const PATH = "/api/admin/model-table";
const builtIn = await builtInTable();

/** A table that is newer than the built-in one. */
const tableOf = (models: object, date = "2099-01-01") =>
  JSON.stringify({ date, sources: { litellm: "9.9.9" }, models });
const PRICED = { context: 1000, can: "tools", cannot: "vision", prices: { input: 7, output: 8 } };

// biome-ignore lint/suspicious/noExplicitAny: the tests read responses of several shapes.
type Received = { status: number; body: any };

async function send(app: TestApp, method: string, json?: object, key = MASTER_KEY): Promise<Received> {
  const response = await app.call(PATH, { method, key, ...(json ? { json } : {}) });
  return { status: response.status, body: await response.json() };
}
const preview = (app: TestApp, table: unknown) => send(app, "POST", { table });
const load = (app: TestApp, table: unknown, more: object = {}) => send(app, "POST", { table, dryRun: false, ...more });

async function infoOf(app: TestApp, id: string) {
  const response = await app.call(`/model/info?gw_model_id=${id}`, { key: MASTER_KEY });
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const { data, facts } = (await response.json()) as any;
  return { ...data[0].model_info, facts };
}

describe("a newer model table", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(CONFIGURATION);
  });
  afterAll(() => app.close());

  test("replaces the built-in table after a preview, for all models without stated prices", async () => {
    expect((await send(app, "GET")).body).toMatchObject({
      date: builtIn.date,
      origin: "built-in",
      loadedAt: null,
      models: builtIn.size,
    });
    const table = tableOf({ "openai/gpt-4o-mini": PRICED, "openai/gpt-4o": PRICED, "openai/brand-new": PRICED });
    const before = await infoOf(app, "listed-1");
    const seen = await preview(app, table);
    expect(seen.body).toMatchObject({
      dryRun: true,
      from: builtIn.date,
      to: "2099-01-01",
      summary: { entries: 3, added: 1, removed: builtIn.size - 2, repriced: 1, free: 0, unpriced: 0 },
      becomeFree: [],
    });
    const listed = seen.body.models.find(({ id }: { id: string }) => id === "listed-1");
    expect(listed).toMatchObject({ name: "listed", outcome: "repriced" });
    expect(listed.prices).toContainEqual({
      component: "input",
      field: "input_cost_per_token",
      from: "0.00000015",
      to: "0.000007",
      fromPrice: 150_000_000,
      toPrice: 7_000_000_000,
    });
    expect(listed.facts).toContainEqual({ fact: "supportsVision", from: true, to: false });
    expect(await infoOf(app, "listed-1")).toEqual(before);

    expect((await load(app, table)).body).toMatchObject({ dryRun: false, summary: { repriced: 1 } });
    expect(await infoOf(app, "listed-1")).toMatchObject({
      input_cost_per_token: 7e-6,
      max_input_tokens: 1000,
      supports_vision: false,
      facts: { date: "2099-01-01", origin: "loaded" },
    });
    const stated = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, max_output_tokens: 5 };
    expect(await infoOf(app, "stated-1")).toMatchObject(stated);
    expect((await send(app, "GET")).body).toMatchObject({ date: "2099-01-01", origin: "loaded", models: 3 });
    const models = await app.call("/v1/models", { key: MASTER_KEY });
    expect(await models.text()).toContain('"any/brand-new"');
    const hub = await app.call("/api/models");
    expect(await hub.json()).toMatchObject({ factsDate: "2099-01-01" });
  });

  test("is refused with every fault, and the current table stays", async () => {
    const refused = async (table: unknown, message: string) => {
      const { status, body } = await load(app, table);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)]);
    };
    await refused("{", "not JSON");
    await refused('{"gpt-4o":{"input_cost_per_token":1}}', "not a model table");
    await refused(tableOf({ "openai/x": { prices: { input: 0 } }, y: {} }), "is 0; leave the price out");
    await refused(tableOf({ "openai/x": { prices: { input: 0 } }, y: {} }), "must be `provider/model`");
    await refused(tableOf({ "openai/x": PRICED }, "2098-12-31"), "The table in use is newer: 2099-01-01");
    await refused(tableOf({ "openai/gpt-4o-mini": { free: true } }), "would become free: `openai/gpt-4o-mini`");
    expect((await send(app, "GET")).body).toMatchObject({ date: "2099-01-01", models: 3 });
    expect((await send(app, "GET", undefined, app.first.demoKey ?? "")).status).not.toBe(200);
  });

  test("makes models free only where that is accepted", async () => {
    const free = tableOf({ "openai/gpt-4o-mini": { free: true } }, "2099-01-02");
    expect((await preview(app, free)).body).toMatchObject({
      becomeFree: ["openai/gpt-4o-mini"],
      models: [
        { id: "listed-1", outcome: "free" },
        { id: "stated-1", outcome: "facts", prices: [] },
      ],
    });
    expect((await load(app, JSON.parse(free), { allowFree: true })).status).toBe(200);
    expect(await infoOf(app, "listed-1")).toMatchObject({ input_cost_per_token: 0, output_cost_per_token: 0 });
  });

  test("gives way to the built-in table on demand", async () => {
    expect((await send(app, "DELETE")).body).toEqual({ success: true });
    expect(await infoOf(app, "listed-1")).toMatchObject({
      input_cost_per_token: 1.5e-7,
      facts: { date: builtIn.date, origin: "built-in" },
    });
    const { rows } = await app.storage.accounts.audit.list({}, { page: 1, pageSize: 100 });
    const actions = rows.map(({ action }) => action).filter((action) => action.startsWith("model_table."));
    expect(actions).toEqual(["model_table.reset", "model_table.load", "model_table.load"]);
  });
});

test("`config check` shows the date of the table", async () => {
  const printed: string[] = [];
  const output = { print: (text: string) => printed.push(text), complain: (text: string) => printed.push(text) };
  expect(await checkConfig(null, false, output)).toBe(0);
  expect(printed.at(-1)).toContain(`table of ${builtIn.date}`);
  await checkConfig(null, true, output);
  expect(JSON.parse(printed.at(-1) ?? "")).toMatchObject({ facts: { date: builtIn.date } });
});

describe.skipIf(postgresMissing !== null)("a loaded model table", () => {
  test("is used by other processes and after a restart", async () => {
    using database = await freshDatabase("postgres");
    const { databaseUrl } = database.settings;
    const [app, other] = [await startApp(CONFIGURATION, databaseUrl), await startApp(CONFIGURATION, databaseUrl)];
    expect((await load(app, tableOf({ "openai/gpt-4o-mini": PRICED }))).status).toBe(200);
    await other.service.refresh();
    expect(await infoOf(other, "listed-1")).toMatchObject({ input_cost_per_token: 7e-6 });
    const later = await startApp(CONFIGURATION, databaseUrl);
    expect(await infoOf(later, "listed-1")).toMatchObject({ input_cost_per_token: 7e-6, facts: { origin: "loaded" } });
    await send(later, "DELETE");
    await other.service.refresh();
    expect(await infoOf(other, "listed-1")).toMatchObject({ facts: { origin: "built-in" } });
    for (const each of [app, other, later]) await each.close();
  });
});
