import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "./restricted-key.ts";

const app = await startApp(`
model_list:
  - model_name: fast
    litellm_params: { model: groq/llama-3.3-70b-versatile, api_key: k-1, rpm: 10, tpm: 100 }
    model_info: { id: fast-1, access_groups: [beta] }
  - model_name: fast
    litellm_params: { model: openai/gpt-4o-mini, api_key: k-2, rpm: 5 }
    model_info: { id: fast-2 }
  - model_name: org/team/model
    litellm_params: { model: xai/grok-4.7, api_key: k-3 }
  - model_name: openai/*
    litellm_params: { model: openai/*, api_key: k-4 }
  - model_name: private
    litellm_params:
      { model: hosted_vllm/own, api_base: "http://127.0.0.1:1/v1", input_cost_per_token: 0.000001, output_cost_per_token: 0 }
    model_info: { id: private-1, access_groups: [gamma], supports_vision: true, max_input_tokens: 9 }
router_settings:
  model_group_alias: { nick: fast, unseen: { model: fast, hidden: true } }
  fallbacks: [{ fast: [private, org/team/model] }]
  context_window_fallbacks: [{ fast: [org/team/model] }]
  default_fallbacks: [fast]
`);
afterAll(() => app.close());
const limited = await restrictedKey(app, ["fast", "openai/gpt-4o*"]);

const get = async (path: string, key = MASTER_KEY) => {
  const response = await app.call(path, { key });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
type Entry = { id: string; owned_by: string; metadata?: { fallbacks: string[] } };
const list = async (query = "", key = MASTER_KEY) => (await get(`/v1/models${query}`, key)).body.data as Entry[];
const ids = async (query = "", key = MASTER_KEY) => (await list(query, key)).map(({ id }) => id);

describe("the list of models", () => {
  test("has groups, open aliases and the known models of a wildcard group, each once, under both paths", async () => {
    const seen = await ids();
    expect(seen).toContainValues(["fast", "nick", "org/team/model", "private", "openai/gpt-4o", "echo"]);
    expect(seen).not.toContainAnyValues(["unseen", "openai/*", "beta"]);
    expect(new Set(seen).size).toBe(seen.length);
    expect((await get("/models")).body).toEqual((await get("/v1/models")).body);
  });

  test("has entries as OpenAI's clients read them, with the provider that serves", async () => {
    expect(await list()).toContainEqual({
      id: "fast",
      object: "model",
      created: 1_677_610_602,
      owned_by: "groq",
    } as unknown as Entry);
  });

  test("is what the key may call", async () => {
    const seen = await ids("", limited.key);
    expect(seen).toContainValues(["fast", "openai/gpt-4o", "openai/gpt-4o-mini"]);
    expect(seen.filter((id) => id !== "fast" && id !== "nick" && !id.startsWith("openai/gpt-4o"))).toEqual([]);
  });

  test("shows wildcard routes when asked", async () => {
    expect(await ids("?return_wildcard_routes=true")).toContain("openai/*");
    expect(await ids("?return_wildcard_routes=")).not.toContain("openai/*");
  });

  test("shows access groups when asked, and only those of models that the key may call", async () => {
    expect(await ids("?include_model_access_groups=true")).toContainValues(["fast", "beta", "gamma"]);
    expect(await ids("?only_model_access_groups=true")).toEqual(["beta", "gamma"]);
    expect(await ids("?only_model_access_groups=true", limited.key)).toEqual(["beta"]);
  });

  test("tells fallbacks when asked, by kind, and only to models that the key may call", async () => {
    const fallbacks = async (query: string, id: string, key = MASTER_KEY) =>
      (await list(`?include_metadata=true${query}`, key)).find((entry) => entry.id === id)?.metadata?.fallbacks;
    expect(await fallbacks("", "fast")).toEqual(["private", "org/team/model"]);
    expect(await fallbacks("&fallback_type=general", "echo")).toEqual(["fast"]);
    expect(await fallbacks("&fallback_type=context_window", "fast")).toEqual(["org/team/model"]);
    expect(await fallbacks("&fallback_type=content_policy", "fast")).toEqual([]);
    expect(await fallbacks("", "fast", limited.key)).toEqual([]);
    expect((await list())[0]?.metadata).toBeUndefined();
  });

  test("is of a team that the key's maker belongs to, and there is no other", async () => {
    expect(await ids(`?team_id=${limited.teamId}`, limited.key)).toContain("private");
    expect(await ids(`?team_id=${limited.teamId}`)).toContain("private");
    expect((await get("/v1/models?team_id=another", limited.key)).status).toBe(404);
    expect((await get("/v1/models?team_id=another")).status).toBe(404);
  });

  test.each([
    ["?scope=everything", 400, "scope"],
    ["?include_metadata=true&fallback_type=sideways", 400, "fallback_type"],
  ])("refuses %s", async (query, status, param) => {
    const answer = await get(`/models${query}`);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: { code: "invalid_request", param } });
  });

  test("takes scope=expand, ignores a fallback type that nobody asked for, and names what is no boolean", async () => {
    expect((await get("/models?scope=expand")).status).toBe(200);
    expect((await get("/models?fallback_type=sideways")).status).toBe(200);
    expect((await get("/models?include_metadata=maybe")).status).toBe(422);
  });
});

describe("one model", () => {
  test.each([
    ["fast", "groq"],
    ["nick", "groq"],
    ["unseen", "groq"],
    ["fast-2", "openai"],
    ["org/team/model", "xai"],
    ["org%2Fteam%2Fmodel", "xai"],
    ["openai/gpt-4o", "openai"],
    ["openai%2Fanything", "openai"],
    ["openai/*", "openai"],
  ])("%s is served by %s", async (name, owner) => {
    for (const prefix of ["/models/", "/v1/models/"]) {
      const { status, body } = await get(prefix + name);
      expect([status, body.id, body.owned_by]).toEqual([200, decodeURIComponent(name), owner]);
    }
  });

  test.each(["none", "__proto__", "constructor", "a".repeat(500), "..%2f..%2fetc", "(.*)"])(
    "%s does not exist",
    async (name) => {
      const { status, body } = await get(`/v1/models/${name}`);
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: { code: "model_not_found", name: "NotFoundError" } });
    },
  );

  test("that the key may not call looks like one that does not exist", async () => {
    const hidden = await get("/v1/models/private", limited.key);
    const missing = await get("/v1/models/privat3", limited.key);
    expect(JSON.stringify(hidden).replaceAll("private", "privat3")).toBe(JSON.stringify(missing));
    expect((await get("/v1/models/fast-1", limited.key)).status).toBe(200);
  });
});

describe("model information", () => {
  type Info = { model_name: string; litellm_params: Record<string, unknown>; model_info: Record<string, unknown> };
  const info = async (query = "", key = MASTER_KEY) => (await get(`/model/info${query}`, key)).body.data as Info[];

  test("has one entry per deployment, with limits, prices and parameters", async () => {
    const [fast] = await info("?gw_model_id=fast-2");
    expect(fast).toMatchObject({
      model_name: "fast",
      litellm_params: { model: "openai/gpt-4o-mini", rpm: 5 },
      model_info: {
        id: "fast-2",
        db_model: false,
        mode: "chat",
        max_input_tokens: 128_000,
        input_cost_per_token: 1.5e-7,
        output_cost_per_token: 6e-7,
        cache_read_input_token_cost: 7.5e-8,
        litellm_provider: "openai",
        supports_vision: true,
        supported_openai_params: expect.arrayContaining(["temperature", "tools"]),
      },
    });
    expect(await info("?litellm_model_id=fast-2")).toEqual([fast as Info]);
    expect((await get("/v1/model/info")).body).toEqual((await get("/model/info")).body);
  });

  test("prefers what the operator wrote, and says null where nothing is known", async () => {
    const [own] = await info("?gw_model_id=private-1");
    expect(own?.model_info).toMatchObject({
      supports_vision: true,
      max_input_tokens: 9,
      max_output_tokens: null,
      input_cost_per_token: 0.000001,
      output_cost_per_token: 0,
    });
    const tiers = (await info()).find(({ model_name }) => model_name === "org/team/model")?.model_info;
    expect(tiers).toMatchObject({ input_cost_per_token: 2e-6, input_cost_per_token_above_200k_tokens: 4e-6 });
  });

  test("is what the key may see, without the deployment's parameters", async () => {
    const seen = await info("", limited.key);
    expect(new Set(seen.map(({ model_name }) => model_name))).toEqual(new Set(["fast"]));
    expect(Object.keys(seen[0]?.litellm_params ?? {})).toEqual(["model"]);
    expect((await get("/model/info?gw_model_id=private-1", limited.key)).status).toBe(404);
    expect((await get("/model/info?gw_model_id=none")).body).toMatchObject({ error: { code: "model_not_found" } });
  });
});

describe("group information", () => {
  const group = async (name: string, key = MASTER_KEY) =>
    (await get(`/model_group/info?model_group=${encodeURIComponent(name)}`, key)).body.data as object[];

  test("is the most that a member allows or costs, and the sum of the limits", async () => {
    expect(await group("fast")).toEqual([
      {
        model_group: "fast",
        providers: ["groq", "openai"],
        max_input_tokens: 131_072,
        max_output_tokens: 32_768,
        input_cost_per_token: 5.9e-7,
        output_cost_per_token: 7.9e-7,
        mode: "chat",
        tpm: 100,
        rpm: 15,
        supports_parallel_function_calling: true,
        supports_vision: true,
        supports_function_calling: true,
        supports_reasoning: false,
        supports_web_search: false,
        supports_url_context: false,
        supported_openai_params: expect.arrayContaining(["temperature"]),
        configurable_clientside_auth_params: null,
        is_public_model_group: false,
        health_status: null,
        health_response_time: null,
        health_checked_at: null,
      },
    ]);
  });

  test("takes an alias, a wildcard group and a model that fits one", async () => {
    expect(await group("nick")).toMatchObject([{ model_group: "nick", rpm: 15 }]);
    expect(await group("openai/*")).toMatchObject([{ providers: ["openai"], max_input_tokens: null }]);
    expect(await group("openai/gpt-4o")).toMatchObject([{ model_group: "openai/gpt-4o", max_input_tokens: 128_000 }]);
    expect(await group("echo")).toMatchObject([{ input_cost_per_token: 1e-7, supports_function_calling: true }]);
    expect(await group("echo-embedding")).toMatchObject([{ mode: "embedding", supports_function_calling: false }]);
  });

  test("is of every group that the key may call", async () => {
    const all = (await get("/model_group/info")).body.data as { model_group: string }[];
    expect(all.map((one) => one.model_group)).toContainValues(["fast", "openai/*", "private", "nick", "echo"]);
    const seen = (await get("/model_group/info", limited.key)).body.data as { model_group: string }[];
    expect(seen.map((one) => one.model_group)).toEqual(["fast", "nick"]);
  });

  test("of a group that there is not has no providers, and neither has one that the key may not call", async () => {
    const [none] = await group("none");
    expect(none).toMatchObject({ model_group: "none", providers: [], rpm: null, supports_vision: false });
    expect(await group("private", limited.key)).toEqual([{ ...none, model_group: "private" }]);
  });
});
