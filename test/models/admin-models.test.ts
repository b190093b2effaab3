import { afterAll, expect, test } from "bun:test";
import { entryOf } from "../../src/routes/admin/model-entry.ts";
import { MASTER_KEY, startApp } from "../app.ts";

const SECRET = "canary-of-an-admin-model";
const app = await startApp(`
model_list:
  - model_name: from-file
    litellm_params: { model: openai/gpt-4o, api_key: ${SECRET}-file }
    model_info: { id: file-1 }
general_settings:
  database_connection_timeout: 7
  markup_percent: 12.5
  admin_password: ${SECRET}-password
  billing: { provider: stripe, stripe: { secret_key: ${SECRET}-stripe, webhook_secret: ${SECRET}-hook } }
environment_variables: { SOME_NAME: ${SECRET}-variable }
`);
afterAll(() => app.close());

const send = async (method: string, path: string, json?: unknown) => {
  const response = await app.call(path, { method, key: MASTER_KEY, json });
  const text = await response.text();
  expect(text).not.toContain(SECRET);
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of many shapes.
  return { status: response.status, body: JSON.parse(text) as any };
};
const chat = async (model: string) =>
  (await send("POST", "/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] })).status;

test("a model is added with the provider and its model id, shown with what is known of it, and can be called", async () => {
  const made = await send("POST", "/api/admin/models", {
    provider: "echo",
    inferenceModelId: "chat",
    name: "parrot",
    apiKey: `${SECRET}-1`,
    inputPrice: 2_500_000_001,
    prices: { output: "0.00001", cache_read: 0.000001 },
    accessGroups: ["beta"],
    contextLength: 1000,
    params: { rpm: 3 },
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    name: "parrot",
    provider: "echo",
    inferenceModelId: "chat",
    type: "chat",
    source: "database",
    readOnly: false,
    status: "enabled",
    inputPrice: 2_500_000_001,
    outputPrice: 10_000_000_000,
    cachedInputPrice: 1_000_000_000,
    contextLength: 1000,
    params: { rpm: 3 },
    info: { access_groups: ["beta"], db_model: true },
    faults: [],
    warnings: [],
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(await chat("parrot")).toBe(200);
  const { id } = made.body;
  expect((await send("GET", `/api/admin/models/${id}`)).body).toMatchObject({ id, name: "parrot" });
  expect((await send("POST", `/api/admin/models/${id}/test`)).body).toMatchObject({
    ok: true,
    error: null,
    kind: null,
  });
});

test("a model without a name is called as its provider calls it", async () => {
  const body = { provider: "groq", inference_model_id: "llama-3.3-70b-versatile", type: "chat" };
  const made = await send("POST", "/api/admin/models", body);
  expect(made.body).toMatchObject({
    name: "llama-3.3-70b-versatile",
    params: { model: "groq/llama-3.3-70b-versatile" },
    warnings: [expect.stringMatching(/^calls of `llama-3.3-70b-versatile` will fail: .*GROQ_API_KEY/)],
  });
  const tried = await send("POST", `/api/admin/models/${made.body.id}/test`);
  expect(tried.body).toMatchObject({ ok: false, kind: expect.any(String), error: expect.any(String) });
});

test("what stands among the further parameters is kept, unless the field of its own says otherwise", () => {
  const body = { provider: "openai", inferenceModelId: "gpt-4o", params: { api_key: "nested", api_base: "https://a" } };
  expect(entryOf(body).params).toEqual({ model: "openai/gpt-4o", api_key: "nested", api_base: "https://a" });
  expect(entryOf({ ...body, apiKey: "own", info: { mode: "chat" } })).toMatchObject({
    params: { api_key: "own" },
    info: { mode: "chat" },
  });
});

test("a model is changed in parts, switched off and removed", async () => {
  const { id } = (await send("POST", "/api/admin/models", { provider: "echo", inferenceModelId: "chat", name: "v1" }))
    .body;
  const path = `/api/admin/models/${id}`;
  const changed = await send("PUT", path, {
    name: "v2",
    inferenceModelId: "embedding",
    type: "embedding",
    params: { rpm: 2 },
  });
  expect(changed.body).toMatchObject({ name: "v2", type: "embedding", params: { model: "echo/embedding", rpm: 2 } });
  expect((await send("PUT", path, { params: { rpm: null }, status: "disabled" })).body).toMatchObject({
    status: "disabled",
  });
  expect((await send("GET", path)).body.params).not.toContainKey("rpm");
  expect((await send("GET", "/api/admin/models?status=disabled")).body.data).toHaveLength(1);
  expect((await send("DELETE", path)).body).toEqual({ success: true });
  expect((await send("GET", path)).status).toBe(404);
  expect((await send("PUT", path, { name: "x" })).status).toBe(404);
});

test("models of the file and built-in ones are shown, and changed nowhere but in the file", async () => {
  const { body } = await send("GET", "/api/admin/models?pageSize=100");
  const file = body.data.find(({ id }: { id: string }) => id === "file-1");
  expect(file).toMatchObject({
    name: "from-file",
    source: "configuration",
    readOnly: true,
    params: { model: "openai/gpt-4o" },
  });
  expect(body.data.find(({ id }: { id: string }) => id === "builtin-echo")).toMatchObject({ source: "built-in" });
  for (const [method, json] of [
    ["PUT", { name: "x" }],
    ["DELETE", undefined],
  ] as const) {
    const refused = await send(method, "/api/admin/models/file-1", json);
    expect([refused.status, refused.body.code]).toEqual([409, "VALIDATION_ERROR"]);
    expect(refused.body.error).toContain("it is in the configuration file");
  }
  expect((await send("GET", "/api/admin/models?search=FROM-&source=configuration")).body.meta.total).toBe(1);
});

test("faults are told all at once, by the names that the body has", async () => {
  const refused = await send("POST", "/api/admin/models", {
    provider: "nobody",
    inferenceModelId: "x",
    apiBase: "nowhere",
    credentialName: "none",
    params: { rpm: "many" },
    info: { supports_vision: "perhaps" },
  });
  expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
  for (const name of [
    "provider: unknown provider",
    "apiBase: expected an address",
    "credentialName: ",
    "params.rpm: ",
  ]) {
    expect(refused.body.error).toContain(name);
  }
  expect(refused.body.error).toContain("info.supports_vision: expected true or false");
  const odd = { provider: "echo", inferenceModelId: "chat", prices: { inputs: 1 } };
  expect((await send("POST", "/api/admin/models", odd)).body.error).toContain("`inputs` is no price");
  expect((await send("POST", "/api/admin/models", { provider: "echo" })).body.error).toContain("inferenceModelId");
});

test("the settings in use are shown without secrets, and which of them need a restart", async () => {
  const { settings } = (await send("GET", "/api/admin/settings")).body;
  expect(settings["general_settings.database_connection_timeout"]).toEqual({ value: 7, needsRestart: true });
  expect(settings["general_settings.max_request_size_mb"]).toEqual({ value: 32, needsRestart: true });
  expect(settings["general_settings.store_model_in_db"]).toEqual({ value: true, needsRestart: false });
  expect(settings["general_settings.master_key"].value).toBe("****");
  expect(settings["general_settings.admin_password"].value).toBe("****");
  expect(settings["general_settings.secret"].value).toBe("****");
  expect(settings["general_settings.markup_percent"]).toEqual({ value: 12.5, needsRestart: false });
  expect(settings["litellm_settings.cache_params.max_size_mb"].value).toBe(64);
  expect(settings["general_settings.billing"].value).toMatchObject({
    provider: "stripe",
    stripe: { secretKey: "****", webhookSecrets: ["****"] },
  });
  expect(settings.environment_variables.value).toEqual(["SOME_NAME"]);
  expect(JSON.stringify(settings)).not.toContain(MASTER_KEY);
});
