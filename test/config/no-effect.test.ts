import { describe, expect, test } from "bun:test";
import { readOwnPrices } from "../../src/catalog/own-prices.ts";
import { loadText } from "./load-text.ts";

interface Settings {
  readonly params?: object;
  readonly info?: object;
  readonly rest?: object;
}

/** What is said of a file, by the path that it is said of. */
function told({ params = {}, info = {}, rest = {} }: Settings): Record<string, string> {
  const entry = { model_name: "m", litellm_params: { model: "openai/m", ...params }, model_info: info };
  const { ok, warnings } = loadText(JSON.stringify({ model_list: [entry], ...rest }));
  expect(ok).toBe(true);
  return Object.fromEntries(warnings.map(({ path, message }) => [path, message]));
}

const protections = (rest: object): readonly string[] => {
  const { warnings } = loadText(
    JSON.stringify({ model_list: [{ model_name: "m", litellm_params: { model: "echo/m" } }], ...rest }),
  );
  return warnings.filter(({ protects }) => protects).map(({ path }) => path);
};

describe("a parameter of a model that no call is changed by is warned about:", () => {
  test.each([
    ["headers", { a: "b" }, "`extra_headers` does the same"],
    ["stream", true, "callers say whether"],
    ["metadata", { a: "b" }, "no effect"],
    ["api_type", "azure", "no effect"],
    ["prompt", "Commas, please.", "no effect"],
    ["messages", [], "no effect"],
    ["langfuse_host", "https://x.example", "no effect"],
    ["slack_webhook_url", "https://x.example", "no effect"],
    ["success_callback", ["x"], "no effect"],
    ["context_window_fallbacks", [], "no effect"],
    ["priority", 3, "no effect"],
  ])("%s", (name, value, words) => {
    expect(told({ params: { [name]: value } })[`model_list[0].litellm_params.${name}`]).toContain(words);
  });

  test("also where it stands in a credential", () => {
    const values = { headers: {}, vertex_ai_credentials: "x", default_api_key_rpm_limit: 3, api_bse: "x", model: "m" };
    const credential_list = [{ credential_name: "c", credential_values: { api_key: "k", ...values } }];
    const said = told({ params: { litellm_credential_name: "c" }, rest: { credential_list } });
    expect(Object.keys(said).sort()).toEqual(
      Object.keys(values)
        .map((name) => `credential_list[0].credential_values.${name}`)
        .sort(),
    );
    expect(protections({ credential_list })).toEqual([
      "credential_list[0].credential_values.default_api_key_rpm_limit",
    ]);
  });

  test("and inside `extra_body`, where only what nobody else has a place for goes along", () => {
    const extra_body = { temperature: 0, reasoning_effort: "low", metadata: {}, tags: [], model: "x", min_p: 0.1 };
    const at = "model_list[0].litellm_params.extra_body";
    expect(Object.keys(told({ params: { extra_body } })).sort()).toEqual(
      ["metadata", "model", "reasoning_effort", "tags", "temperature"].map((name) => `${at}.${name}`),
    );
    // A model of another kind has no such parameter, and gets it.
    expect(told({ params: { extra_body: { temperature: 0 } }, info: { mode: "embedding" } })).toEqual({});
  });

  test("but none that goes to the provider", () => {
    expect(
      told({ params: { cost_center: "x", guided_json: {}, extra_headers: { a: "b" }, organization: "o" } }),
    ).toEqual({});
  });
});

describe("in `model_info`", () => {
  test.each(["rpm", "tpm"])("%s limits nothing, and is said to leave a gap", (name) => {
    const path = `model_list[0].model_info.${name}`;
    expect(told({ info: { [name]: 6 } })[path]).toContain(`write it into \`litellm_params\``);
  });

  test.each(["supported_environments", "health_check_model"])("%s is known to have no effect", (name) => {
    expect(told({ info: { [name]: ["x"] } })[`model_list[0].model_info.${name}`]).toContain("no effect");
  });
});

describe("of settings that do not go together, the one without an effect is warned about:", () => {
  const redis = { url: "redis://one", host: "two" };
  test.each<[string, object, string[]]>([
    [
      "another Redis",
      {
        general_settings: { redis_url: "redis://one" },
        router_settings: { redis_host: "two" },
        litellm_settings: { cache: true, cache_params: redis },
      },
      ["router_settings.redis_host", "litellm_settings.cache_params.host"],
    ],
    [
      "the same Redis",
      {
        router_settings: { redis_host: "one", redis_port: 6379 },
        litellm_settings: { cache: true, cache_params: { type: "redis", host: "one", port: 6379 } },
      },
      [],
    ],
    [
      "a password without a host",
      { router_settings: { redis_password: "x", redis_port: 1 } },
      ["router_settings.redis_port", "router_settings.redis_password"],
    ],
    [
      "a password beside an address",
      { router_settings: { redis_url: "redis://one", redis_password: "x" } },
      ["router_settings.redis_password"],
    ],
    [
      "two budgets of end users",
      {
        general_settings: { end_user_limits: { max_budget: 10, budget_duration: "1d" } },
        litellm_settings: { max_end_user_budget: 5 },
      },
      ["litellm_settings.max_end_user_budget"],
    ],
    [
      "failures that never count",
      { router_settings: { allowed_fails_policy: { BadRequestErrorAllowedFails: 9, TimeoutErrorAllowedFails: 2 } } },
      ["router_settings.allowed_fails_policy.BadRequestErrorAllowedFails"],
    ],
    [
      "two strategies for a group",
      {
        router_settings: {
          routing_groups: [
            { models: ["m"], routing_strategy: "least-busy" },
            { models: ["m"], routing_strategy: "cost-based-routing" },
          ],
        },
      },
      ["router_settings.routing_groups[1].models[0]"],
    ],
    [
      "the time that another store would keep answers",
      { litellm_settings: { cache: true, default_redis_ttl: 5 } },
      ["litellm_settings.default_redis_ttl"],
    ],
  ])("%s", (_, rest, paths) => {
    expect(Object.keys(told({ rest })).sort()).toEqual(paths.toSorted());
  });

  test("and is a gap where it protects", () => {
    const rest = {
      general_settings: { end_user_limits: { max_budget: 10 } },
      litellm_settings: { max_end_user_budget: 5 },
    };
    expect(protections(rest)).toEqual(["litellm_settings.max_end_user_budget"]);
  });
});

test("a price from any number of tokens on charges calls, so that no warning names it", async () => {
  const names = ["input_cost_per_token_above_512k_tokens", "output_cost_per_token_above_100k_tokens_priority"];
  const tiers = Object.fromEntries(names.map((name) => [name, 0.000003]));
  const prices = { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002, ...tiers };
  const text = JSON.stringify({ model_list: [{ model_name: "m", litellm_params: { model: "openai/m", ...prices } }] });
  const loaded = loadText(text);
  expect(loaded.warnings.filter(({ path }) => path.includes("_above_"))).toEqual([]);
  const [deployment] = loaded.ok ? loaded.config.deployments : [];
  const { input } = readOwnPrices(deployment?.params ?? {});
  expect(input?.tiers).toEqual([{ aboveTokens: 512_000, price: 3_000_000_000n }]);
});
