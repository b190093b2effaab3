import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "./restricted-key.ts";

/** Each stands in a place where a configuration may hold a secret. */
const CANARIES = Array.from({ length: 30 }, (_, index) => `canary${index}x7Q2wE9rT4yU1iO6pA`);
const canary = (index: number): string => CANARIES[index] ?? "";

const app = await startApp(`
model_list:
  - model_name: hidden
    litellm_params:
      model: openai/gpt-4o
      api_key: ${canary(0)}
      api_base: "http://user:${canary(1)}@127.0.0.1:1/${canary(2)}/v1?sig=${canary(3)}#${canary(4)}"
      organization: acme
      extra_headers: { x-gateway: ${canary(5)}, authorization: "Bearer ${canary(6)}" }
      extra_body: { inner: { api_token: ${canary(7)} }, note: "uses ${canary(0)}" }
      client_secret: ${canary(8)}
      azure_password: ${canary(9)}
      webhook_url: "https://host/?k=${canary(10)}"
    model_info: { id: hidden-1, auth_token: ${canary(11)}, homepage: "https://u:${canary(12)}@host/", note: fine }
  - model_name: claude
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: ${canary(13)} }
  - model_name: cloud
    litellm_params:
      model: bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0
      aws_access_key_id: ${canary(14)}
      aws_secret_access_key: ${canary(15)}
      aws_session_token: ${canary(16)}
      aws_region_name: eu-west-1
  - model_name: env
    litellm_params: { model: groq/llama-3.3-70b-versatile }
environment_variables: { GROQ_API_KEY: ${canary(17)} }
`);
afterAll(() => app.close());

/** The same places in what is stored while the service runs. */
const store = async (path: string, json: object) => {
  const response = await app.call(path, { key: MASTER_KEY, json });
  expect(response.status).toBe(200);
  return response.text();
};
const stored: string[] = [
  await store("/credentials", {
    credential_name: "kept",
    credential_values: { api_key: canary(18), extra_headers: { authorization: canary(19) } },
    credential_info: { description: "for tests", contact: canary(20) },
  }),
  await store("/model/new", {
    model_name: "stored",
    litellm_params: {
      model: "openai/gpt-4o",
      litellm_credential_name: "kept",
      api_base: `http://user:${canary(21)}@127.0.0.1:1/${canary(22)}/v1?sig=${canary(23)}`,
      extra_body: { inner: { api_token: canary(24) } },
      whatever: { token: canary(25) },
    },
    model_info: { id: "stored-1", auth_token: canary(26), homepage: `https://u:${canary(27)}@host/` },
  }),
];
const limited = await restrictedKey(app, ["hidden", "claude", "cloud", "env", "stored"]);

const messages = [{ role: "user", content: "hi" }];
const READ = [
  "/models?include_metadata=true&return_wildcard_routes=true",
  "/model/info",
  "/model_group/info",
  "/credentials",
  "/credentials/by_name/kept",
  "/api/admin/models?pageSize=100",
  "/api/admin/models/stored-1",
  "/api/admin/providers?pageSize=100",
  "/api/admin/settings",
  "/api/admin/audit-logs",
];

test.each([
  ["the master key", MASTER_KEY],
  ["a caller's key", limited.key],
])("no secret of the configuration reaches %s", async (_, key) => {
  const texts: string[] = [...stored];
  for (const path of READ) texts.push(await (await app.call(path, { key })).text());
  for (const model of ["hidden", "claude", "cloud", "env", "stored"]) {
    for (const call_type of [
      "completion",
      "text_completion",
      "embedding",
      "image_generation",
      "speech",
      "moderation",
    ]) {
      const request_body = { model, messages, prompt: "hi", input: "hi", voice: "alloy" };
      const response = await app.call("/utils/transform_request", { key, json: { call_type, request_body } });
      texts.push(`${model} ${call_type} ${response.status} ${await response.text()}`);
    }
  }
  expect(texts.filter((text) => / 200 /.test(text)).length).toBeGreaterThan(8);
  for (const text of texts) for (const secret of CANARIES) expect(text).not.toContain(secret);
  const { deployments, credentials } = app.storage.accounts;
  texts.push(JSON.stringify([await deployments.list(), await credentials.list()]));
  for (const text of texts) expect(text).not.toMatch(/canary\d/);
  expect(app.logged.join("\n")).not.toMatch(/canary\d/);
});

test("what is not secret is still told to the operator", async () => {
  const { data } = (await (await app.call("/model/info?gw_model_id=hidden-1", { key: MASTER_KEY })).json()) as {
    data: { litellm_params: object; model_info: object }[];
  };
  expect(data[0]?.litellm_params).toMatchObject({
    model: "openai/gpt-4o",
    organization: "acme",
    api_base: "http://****@127.0.0.1:1/****/v1?sig=****",
    extra_headers: { "x-gateway": "****" },
    extra_body: { inner: { api_token: "****" }, note: "uses ****" },
    webhook_url: "https://host?k=****",
  });
  expect(data[0]?.litellm_params).not.toContainAnyKeys(["api_key", "client_secret"]);
  expect(data[0]?.model_info).toMatchObject({ auth_token: "****", homepage: "https://****@host", note: "fine" });
});

test("a dry run shows the address, the body and how it would be signed", async () => {
  const dry = async (model: string, fields: object = {}) =>
    (
      await app.call("/utils/transform_request", {
        key: MASTER_KEY,
        json: { call_type: "acompletion", request_body: { model, messages, ...fields } },
      })
    ).json();
  expect(await dry("env", { temperature: 0.5 })).toMatchObject({
    raw_request_api_base: "https://api.groq.com/openai/v1/chat/completions",
    raw_request_body: { model: "llama-3.3-70b-versatile", temperature: 0.5, messages },
    raw_request_headers: { "content-type": "application/json", authorization: "****" },
    error: null,
  });
  expect(await dry("claude", { max_tokens: 5 })).toMatchObject({
    raw_request_body: { model: "claude-sonnet-4-5", max_tokens: 5 },
    raw_request_headers: { "x-api-key": "****", "anthropic-version": expect.any(String) },
  });
  expect(await dry("cloud")).toMatchObject({
    raw_request_api_base: expect.stringContaining("eu-west-1"),
    raw_request_headers: { authorization: expect.stringContaining("signature, added when it is sent") },
  });
  expect(await dry("hidden")).toMatchObject({
    raw_request_headers: { "x-gateway": "****", authorization: "****" },
  });
});
