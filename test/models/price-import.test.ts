import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";

const CONFIGURATION = `
model_list:
  - model_name: from-file
    litellm_params: { model: openai/gpt-4o, api_key: sk-of-the-file, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
    model_info: { id: file-1 }
`;
const PATH = "/api/admin/prices/import";

// biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of many shapes.
type Answer = { status: number; body: any };

async function post(app: TestApp, body: string, key = MASTER_KEY): Promise<Answer> {
  const response = await app.call(PATH, { key, body, headers: { "content-type": "application/json" } });
  return { status: response.status, body: await response.json() };
}
/** The map as text, so that numbers are sent as they are written here. */
const dry = (app: TestApp, map: string) => post(app, `{"prices":${map}}`);
const apply = (app: TestApp, map: string) => post(app, `{"prices":${map},"dryRun":false}`);

const model = async (app: TestApp, id: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (await (await app.call(`/api/admin/models/${id}`, { key: MASTER_KEY })).json()) as any;

async function add(app: TestApp, id: string, more: object): Promise<void> {
  const made = await app.call("/api/admin/models", {
    key: MASTER_KEY,
    json: { id, apiKey: "sk-canary-of-the-import", ...more },
  });
  expect(made.status).toBe(201);
}

const auditRows = async (app: TestApp) =>
  (await app.storage.accounts.audit.list({}, { page: 1, pageSize: 100 })).rows.filter(({ action }) =>
    /^(price|model\.price)/.test(action),
  );

describe("prices from a file", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(CONFIGURATION);
    await add(app, "own-1", {
      provider: "openai",
      inferenceModelId: "acme-1",
      name: "own",
      inputPrice: 5_000_000,
      prices: { cache_read: "1e-9" },
    });
    await add(app, "listed-1", { provider: "openai", inferenceModelId: "gpt-4o-mini", name: "mini" });
    await add(app, "sound-1", { provider: "openai", inferenceModelId: "whisper-1", name: "ear" });
  });
  afterAll(() => app.close());

  const MAP = `{
    "sample_spec": { "litellm_provider": "one of", "input_cost_per_token": "an explanation" },
    "openai/acme-1": { "litellm_provider": "openai", "mode": "chat", "max_tokens": 128000,
      "input_cost_per_token": 2.8e-9, "output_cost_per_token": 1.00000000000000000000000001e-6,
      "input_cost_per_token_above_200k_tokens": 5.6e-9, "input_cost_per_pixel": 1 },
    "gpt-4o": { "litellm_provider": "openai", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05 },
    "groq/never-heard": { "litellm_provider": "groq", "input_cost_per_token": "what" }
  }`;

  test("are compared with what is there, and nothing is changed unless told", async () => {
    const before = await model(app, "own-1");
    const { status, body } = await dry(app, MAP);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dryRun: true,
      summary: { entries: 3, changed: 1, adopted: 0, unchanged: 0, unpriced: 0, readOnly: 1, unmatched: 1, rounded: 1 },
      unmatched: ["groq/never-heard"],
      rounded: [
        {
          entry: "openai/acme-1",
          field: "output_cost_per_token",
          value: "1.00000000000000000000000001e-6",
          rounded: "0.000001",
        },
      ],
    });
    const [fromFile, own] = body.models;
    expect(fromFile).toMatchObject({ id: "file-1", source: "configuration", readOnly: true, outcome: "changed" });
    expect(fromFile.changes[0]).toMatchObject({ field: "input_cost_per_token", from: "0.000001", to: "0.0000025" });
    expect(own).toMatchObject({
      id: "own-1",
      name: "own",
      entry: "openai/acme-1",
      outcome: "changed",
      readOnly: false,
      ignored: ["input_cost_per_pixel"],
    });
    expect(own.changes).toEqual([
      change("input", "input_cost_per_token", 5_000_000, 2_800_000),
      change("input", "input_cost_per_token_above_200k_tokens", null, 5_600_000),
      change("output", "output_cost_per_token", null, 1_000_000_000),
    ]);
    expect(await model(app, "own-1")).toEqual(before);
    expect(await auditRows(app)).toEqual([]);
    for (const spelled of ["dryRun", "dry_run"]) {
      expect((await post(app, `{"prices":${MAP},"${spelled}":true}`)).body).toEqual(body);
    }
    expect((await post(app, JSON.stringify({ prices: `\ufeff${MAP}` }))).body).toEqual(body);
  });

  test("are applied exactly, in one go, with what the file does not name as it was", async () => {
    const fileBefore = await model(app, "file-1");
    const { status, body } = await apply(app, MAP);
    expect([status, body.dryRun, body.summary.changed]).toEqual([200, false, 1]);
    const after = await model(app, "own-1");
    expect(after).toMatchObject({ inputPrice: 2_800_000, outputPrice: 1_000_000_000, cachedInputPrice: 1_000_000 });
    expect(after.params.input_cost_per_token).toBe(2.8e-9);
    expect(after.info.input_cost_per_token_above_200k_tokens).toBe(5.6e-9);
    expect(await model(app, "file-1")).toEqual(fileBefore);
    const rows = await auditRows(app);
    expect(rows.map(({ action, targetId, actor }) => [action, targetId, actor]).sort()).toEqual([
      ["model.price", "own-1", "master_key"],
      ["price.import", "*", "master_key"],
    ]);
    expect(rows.find(({ action }) => action === "model.price")?.details).toMatchObject({
      entry: "openai/acme-1",
      prices: [{ field: "input_cost_per_token", from: "0.000000005", to: "0.0000000028" }, {}, {}],
    });
    expect(JSON.stringify(rows)).not.toContain("canary");
  });

  test("applied a second time change nothing, and no line is written", async () => {
    const before = await model(app, "own-1");
    const { body } = await apply(app, MAP);
    expect(body.summary).toMatchObject({ changed: 0, adopted: 0, unchanged: 1, readOnly: 1 });
    expect(await model(app, "own-1")).toEqual(before);
    expect(await auditRows(app)).toHaveLength(2);
  });

  test("that are the public list's become the model's own, once", async () => {
    const { inputPrice, outputPrice, cachedInputPrice } = await model(app, "listed-1");
    const map = JSON.stringify({
      "gpt-4o-mini": {
        litellm_provider: "openai",
        input_cost_per_token: `${inputPrice}e-15`,
        output_cost_per_token: `${outputPrice}e-15`,
        cache_read_input_token_cost: `${cachedInputPrice}e-15`,
        input_cost_per_token_priority: "2.5e-7",
        output_cost_per_token_priority: "1e-6",
        cache_read_input_token_cost_priority: "1.25e-7",
      },
    });
    const first = await apply(app, map);
    expect(first.body.models[0]).toMatchObject({ outcome: "adopted", readOnly: false });
    expect(first.body.models[0].changes[0]).toMatchObject({ component: "input", listed: true });
    expect(await model(app, "listed-1")).toMatchObject({ inputPrice, outputPrice, cachedInputPrice });
    expect((await apply(app, map)).body.models[0]).toMatchObject({ outcome: "unchanged", changes: [] });
  });

  test("for input alone take the public list's price for cached input with them, and tell so", async () => {
    await add(app, "listed-2", { provider: "openai", inferenceModelId: "gpt-4o", name: "four" });
    const { cachedInputPrice, outputPrice } = await model(app, "listed-2");
    expect(cachedInputPrice).toBeGreaterThan(0);
    const { body } = await apply(app, `{"gpt-4o":{"litellm_provider":"openai","input_cost_per_token":3e-6}}`);
    const { changes } = body.models.find(({ id }: { id: string }) => id === "listed-2");
    expect(changes).toContainEqual(
      expect.objectContaining({ component: "cache_read", fromPrice: cachedInputPrice, to: null, listed: true }),
    );
    expect(await model(app, "listed-2")).toMatchObject({ inputPrice: 3e9, outputPrice, cachedInputPrice: null });
  });

  test("of something else than tokens replace a price under either of its names", async () => {
    const sound = (usd: string) =>
      `{"whisper-1":{"litellm_provider":"openai","input_cost_per_second":${usd},"output_cost_per_second":0.0}}`;
    expect((await apply(app, sound("0.0002"))).body.summary.changed).toBe(1);
    expect((await model(app, "sound-1")).pricing).toContainEqual({ component: "second", price: 200_000_000_000 });
    expect((await dry(app, sound("0.0002"))).body.models[0].outcome).toBe("unchanged");
  });

  test("of a kind that nothing is charged by leave the model as it is", async () => {
    const { body } = await apply(app, `{"openai/acme-1":{"tiered_pricing":[{"input_cost_per_token":1}]}}`);
    expect(body.models[0]).toMatchObject({ outcome: "unpriced", changes: [], ignored: ["tiered_pricing"] });
    expect((await model(app, "own-1")).inputPrice).toBe(2_800_000);
  });

  const BAD: [string, string, number, string][] = [
    ["no price", `{"prices":{"openai/acme-1":{"input_cost_per_token":"cheap"}`, 400, "openai/acme-1"],
    ["a negative price", `{"prices":{"openai/acme-1":{"input_cost_per_token":-1e-9}`, 400, "input_cost_per_token"],
    ["a price that nobody asks", `{"prices":{"openai/acme-1":{"input_cost_per_token":1e300}`, 400, "too much"],
    ["an object as price", `{"prices":{"openai/acme-1":{"input_cost_per_token":{"a":1}}`, 400, "is no price"],
    ["an entry that is none", `{"prices":{"gpt-4o-mini":{"input_cost_per_token":1e-9},"x":5}`, 400, `"x"`],
    ["a list", `{"prices":[]`, 400, "prices"],
    ["nothing", `{"prices":{}`, 400, "no entries"],
    ["no map", `{"other":1`, 400, "prices"],
    ["a text that is no JSON", `{"prices":"{oops"`, 400, "is not JSON"],
    ["a text of something else", `{"prices":"[1]"`, 400, "must be an object"],
  ];
  test.each(BAD)("with %s are refused as a whole, and lose nothing", async (_, begun, status, named) => {
    const before = await Promise.all(["own-1", "listed-1", "sound-1"].map((id) => model(app, id)));
    const rows = await auditRows(app);
    // Beside something that would change a price.
    const good = begun.startsWith(`{"prices":{"openai`) ? `,"gpt-4o-mini":{"input_cost_per_token":7e-9}}` : "";
    for (const dryRun of ["true", "false"]) {
      const refused = await post(app, `${begun}${good},"dryRun":${dryRun}}`);
      expect([refused.status, refused.body.code]).toEqual([status, "VALIDATION_ERROR"]);
      expect(refused.body.error).toContain(named);
    }
    expect(await Promise.all(["own-1", "listed-1", "sound-1"].map((id) => model(app, id)))).toEqual(before);
    expect(await auditRows(app)).toEqual(rows);
  });

  test("of more than 8 MiB are not read", async () => {
    const refused = await post(app, `{"prices":"${" ".repeat(9 * 1024 * 1024)}"}`);
    expect(refused.status).toBe(413);
  });

  test("hold for the next call", async () => {
    await add(app, "echo-1", { provider: "echo", inferenceModelId: "chat", name: "parrot" });
    expect((await apply(app, `{"parrot":{"input_cost_per_query":0.25}}`)).body.summary.changed).toBe(1);
    const answer = await app.call("/v1/chat/completions", {
      key: MASTER_KEY,
      json: { model: "parrot", messages: [{ role: "user", content: "hi" }] },
    });
    expect(Number(answer.headers.get("x-gw-response-cost"))).toBe(0.25);
  });

  test("are nothing for those who do not operate the server", async () => {
    const signUp = await app.call("/api/auth/signup", {
      json: { email: "eve@example.com", password: "a good long one" },
    });
    const { token } = (await signUp.json()) as { token: string };
    expect((await post(app, `{"prices":${MAP}}`, token)).status).toBe(403);
    expect((await post(app, `{"prices":${MAP}}`, "sk-nobody")).status).toBe(401);
  });
});

test("where models are kept in the file alone, the difference is told and nothing is applied", async () => {
  const app = await startApp(`${CONFIGURATION}general_settings: { store_model_in_db: false }\n`);
  try {
    const map = `{"gpt-4o":{"litellm_provider":"openai","input_cost_per_token":3e-6}}`;
    expect((await dry(app, map)).body.summary).toMatchObject({ readOnly: 1, changed: 0 });
    const refused = await apply(app, map);
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining("store_model_in_db")]);
  } finally {
    await app.close();
  }
});

function change(component: string, field: string, fromPrice: number | null, toPrice: number) {
  const usd = (nano: number | null) => (nano === null ? null : expect.stringMatching(/^0\.0*[1-9]\d*$/));
  return { component, field, from: usd(fromPrice), to: usd(toPrice), fromPrice, toPrice, listed: false };
}
