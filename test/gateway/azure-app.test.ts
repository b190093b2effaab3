import { afterAll, beforeEach, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

/** Microsoft's directory and an Azure resource in one, which remember what they were shown. */
const seen: { tokens: URLSearchParams[]; calls: { authorization: string | null; key: string | null }[] } = {
  tokens: [],
  calls: [],
};
let asked: unknown = null;
let directory: () => Response = () => Response.json({ access_token: "token-of-the-app", expires_in: 3600 });
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    if (new URL(request.url).pathname === "/our-tenant/oauth2/v2.0/token") {
      seen.tokens.push(new URLSearchParams(await request.text()));
      return directory();
    }
    const { headers } = request;
    asked = await request.json();
    seen.calls.push({ authorization: headers.get("authorization"), key: headers.get("api-key") });
    const message = { role: "assistant", content: "Hello!" };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage });
  },
});
const address = `http://127.0.0.1:${server.port}`;

const APP = { tenant_id: "our-tenant", client_id: "our-app", client_secret: "our-secret" };
const entry = (name: string, params: object) => ({
  model_name: name,
  litellm_params: { model: "azure/my-gpt", api_base: address, ...params },
  model_info: { free: true },
});
const thinker = {
  ...entry("thinker", { api_key: "the-key" }),
  model_info: { free: true, base_model: "azure/gpt-5-mini" },
};
const app = await startApp(
  JSON.stringify({
    environment_variables: { AZURE_AUTHORITY_HOST: address },
    model_list: [
      entry("as-app", APP),
      entry("with-scope", { ...APP, azure_scope: "https://other.example/.default" }),
      entry("with-key", { ...APP, api_key: "the-key" }),
      thinker,
      entry("half", { tenant_id: "our-tenant", client_id: "our-app" }),
    ],
    router_settings: { num_retries: 0, disable_cooldowns: true },
  }),
);
afterAll(async () => {
  await app.close();
  await server.stop(true);
});
beforeEach(() => {
  seen.tokens = [];
  seen.calls = [];
});

const call = (model: string, fields: object = {}) =>
  app.call("/v1/chat/completions", {
    key: MASTER_KEY,
    json: { model, messages: [{ role: "user", content: "x" }], ...fields },
  });

test("a deployment with tenant_id, client_id and client_secret calls Azure as that app, with one token for many calls", async () => {
  expect((await call("as-app")).status).toBe(200);
  expect((await call("as-app")).status).toBe(200);
  expect(seen.tokens.map((form) => Object.fromEntries(form))).toEqual([
    {
      grant_type: "client_credentials",
      client_id: "our-app",
      client_secret: "our-secret",
      scope: "https://cognitiveservices.azure.com/.default",
    },
  ]);
  const shown = { authorization: "Bearer token-of-the-app", key: null };
  expect(seen.calls).toEqual([shown, shown]);
});

test("azure_scope says what the token is for", async () => {
  expect((await call("with-scope")).status).toBe(200);
  expect(seen.tokens[0]?.get("scope")).toBe("https://other.example/.default");
});

test("a key of the deployment comes before its app", async () => {
  expect((await call("with-key")).status).toBe(200);
  expect(seen).toEqual({ tokens: [], calls: [{ authorization: null, key: "the-key" }] });
});

test("an app without its secret is refused, and says what is missing", async () => {
  const response = await call("half");
  expect(response.status).toBe(502);
  expect(await response.text()).toContain("client_secret");
  expect(seen).toEqual({ tokens: [], calls: [] });
});

test("an app that the directory does not know is the operator's to see to, without its secret being told", async () => {
  directory = () =>
    Response.json({ error: "invalid_client", error_description: "our-secret is wrong" }, { status: 401 });
  const failing = await startApp(
    JSON.stringify({
      environment_variables: { AZURE_AUTHORITY_HOST: address },
      model_list: [entry("as-app", APP)],
      router_settings: { num_retries: 0 },
    }),
  );
  try {
    const json = { model: "as-app", messages: [{ role: "user", content: "x" }] };
    const response = await failing.call("/v1/chat/completions", { key: MASTER_KEY, json });
    expect(response.status).toBe(502);
    const text = await response.text();
    expect(text).toContain("invalid_client");
    expect(text + failing.logged.join()).not.toContain("our-secret");
    expect(seen.calls).toEqual([]);
  } finally {
    await failing.close();
  }
});

test("a deployment takes what the model takes that its base_model names", async () => {
  const wished = { max_tokens: 50, temperature: 0.5 };
  expect(await (await call("thinker", wished)).json()).toMatchObject({ error: { param: "temperature" } });
  expect((await call("thinker", { ...wished, drop_params: true })).status).toBe(200);
  expect(asked).toEqual({ model: "my-gpt", messages: [{ role: "user", content: "x" }], max_completion_tokens: 50 });
  expect((await call("with-key", wished)).status).toBe(200);
  expect(asked).toMatchObject(wished);
});
