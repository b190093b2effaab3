import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import { configOf, faultsOf, loadText, readFrom } from "./load-text.ts";

const REALISTIC = readFileSync(join(import.meta.dir, "fixtures/realistic.yaml"), "utf8");
const EXAMPLE = readFileSync(join(import.meta.dir, "../../turnpike.example.yaml"), "utf8");

const ENV = {
  AZURE_KEY: "azure-key",
  OPENAI_KEY: "openai-key",
  ANTHROPIC_KEY: "anthropic-key",
  REDIS_PASSWORD: "p@ss",
  MASTER: "sk-master-0123456789",
  DATABASE_URL: "postgres://u:p@db/turnpike",
};

test("a file in the layout that people bring loads without a fault", () => {
  const { deployments, ...config } = configOf(REALISTIC, ENV);
  expect(
    deployments.map(({ group, provider, upstreamModel, apiKey }) => [group, provider, upstreamModel, apiKey]),
  ).toEqual([
    ["gpt-4o", "azure", "prod-gpt4o", "azure-key"],
    ["gpt-4o", "openai", "gpt-4o", "openai-key"],
    ["claude", "anthropic", "claude-3-5-sonnet-latest", "anthropic-key"],
    ["local/*", "openai", "*", null],
    ["*", "*", "*", null],
  ]);
  expect(config.router).toMatchObject({
    routingStrategy: "usage-based-routing-v2",
    numRetries: 3,
    timeoutMs: 120_000,
    streamTimeoutMs: 30_000,
    cooldownSeconds: 12.5,
    allowedFails: 2,
    retryPolicy: { TimeoutError: 1 },
    groupRetryPolicy: { claude: { RateLimitError: 4 } },
    fallbacks: { "gpt-4o": ["claude"], "*": ["local/llama"] },
    contextWindowFallbacks: { claude: ["gpt-4o"] },
    dropParams: true,
  });
  expect(config.groupAliases).toEqual({
    "gpt-4": { model: "gpt-4o", hidden: false },
    quiet: { model: "claude", hidden: true },
  });
  expect(config.redisUrl).toBe("redis://:p%40ss@cache.internal:6380");
  expect(config.databaseUrl).toBe(ENV.DATABASE_URL);
  expect(config.keys.masterKey).toBe(ENV.MASTER);
  expect(config.server.requestBytesMax).toBe(8 * 1024 * 1024);
  expect(config.environment).toEqual({ REGION: "westeurope" });
});

test("a deployment has its numbers as numbers, its credential filled in, and all other keys as they are", () => {
  const [first, second, third, fourth] = configOf(REALISTIC, ENV).deployments;
  expect(first).toEqual({
    id: "azure-eu",
    group: "gpt-4o",
    provider: "azure",
    upstreamModel: "prod-gpt4o",
    apiBase: "https://shared.example.azure.com",
    apiKey: "azure-key",
    apiVersion: "2024-10-21",
    params: {
      region_name: "westeurope",
      rpm: 600,
      tpm: 90_000,
      weight: 3,
      tags: ["paid", "eu"],
      timeout: 45,
      drop_params: true,
    },
    info: {
      id: "azure-eu",
      base_model: "azure/gpt-4o",
      input_cost_per_token: 2.5e-6,
      supports_vision: true,
      our_own_note: "keep me",
    },
  });
  expect(second?.params).toEqual({ timeout: 10, drop_params: true });
  expect(third?.params).toEqual({ extra_headers: { "x-region": "westeurope" } });
  expect(fourth?.params).toEqual({ some_server_knob: [1, 2] });
});

test("keys without an effect yet are named once each, and nothing else is warned about", () => {
  const { warnings } = loadText(REALISTIC, ENV);
  const messages = warnings.map(({ message }) => message);
  const others = messages.filter((message) => !message.includes("is known but has no effect yet"));
  expect(others).toEqual(["has no effect without `host`"]);
  expect(new Set(messages).size).toBe(messages.length);
  for (const name of ["litellm_settings.success_callback", "general_settings.alerting"]) {
    expect(
      messages.filter((message) => message.startsWith(`\`${name}\` is known but has no effect yet; `)),
    ).toHaveLength(1);
  }
  const twice = loadText(`model_list:
  - {model_name: a, litellm_params: {model: echo/chat, mock_response: x}}
  - {model_name: b, litellm_params: {model: echo/chat, mock_response: y}}
`);
  expect(twice.warnings).toHaveLength(1);
});

test("the example loads without a fault or a warning, and calls the built-in models", () => {
  const result = loadText(EXAMPLE);
  expect([faultsOf(result), result.warnings]).toEqual([[], []]);
  const providers = result.ok ? result.config.deployments.map(({ provider }) => provider) : [];
  expect(new Set(providers)).toEqual(new Set(["echo"]));
});

test.each(["", "# nothing yet\n", "---\n", "null\n", "{}\n", "model_list:\ngeneral_settings:\n"])(
  "a file without settings has the defaults: %j",
  (text) => {
    const config = configOf(text);
    expect(config.server).toEqual({
      host: "127.0.0.1",
      port: 4000,
      workers: 1,
      corsOrigins: [],
      requestBytesMax: 32 * 1024 * 1024,
      drainTimeoutMs: 30_000,
      publicUrl: null,
      logLevel: "info",
      metricsAccess: "key",
      trustedProxies: [],
      strictTransportSeconds: 31_536_000,
      allowedIps: null,
      overload: { delayMsMax: 250, pendingMax: 10_000 },
      bodies: {
        totalBytesMax: 128 * 1024 * 1024,
        callerBytesMax: 64 * 1024 * 1024,
        addressBytesMax: 64 * 1024 * 1024,
        timeoutMs: 60_000,
      },
      managementLimits: { readsPerMinute: 300, writesPerMinute: 60 },
    });
    expect(config.keys).toEqual({
      masterKey: null,
      headers: ["x-gw-api-key", "authorization", "x-api-key", "api-key", "x-goog-api-key"],
      hosted: false,
      headerPrefix: "gw",
      secret: null,
    });
    expect([config.dataDir, config.databaseUrl, config.redisUrl]).toEqual(["./data", null, null]);
    expect([config.admin, config.demo, config.deployments]).toEqual([
      { email: "admin@localhost", password: null },
      true,
      [],
    ]);
    expect([config.router.numRetries, config.router.timeoutMs, config.router.cooldownSeconds]).toEqual([2, 600_000, 5]);
  },
);

test("a time limit of 0 is none, whichever section has it: calls have the usual ones", () => {
  const { router } = configOf(
    "router_settings: {timeout: 0, stream_timeout: 0}\nlitellm_settings: {request_timeout: 0}\n",
  );
  expect([router.timeoutMs, router.streamTimeoutMs]).toEqual([600_000, null]);
  const { router: other } = configOf("router_settings: {timeout: 0}\nlitellm_settings: {request_timeout: 30}\n");
  expect(other.timeoutMs).toBe(30_000);
});

test("an argument that no strategy has is warned about, and the others are taken", () => {
  const loaded = loadText("router_settings: {routing_strategy_args: {ttl: 60, rtl: 5}}\n");
  expect(loaded.ok && loaded.config.router.routingStrategyArgs).toEqual({ ttl: 60 });
  expect(loaded.warnings).toMatchObject([
    {
      path: "router_settings.routing_strategy_args.rtl",
      message: "has no effect; known are ttl, lowest_latency_buffer, max_latency_list_size, decay",
    },
  ]);
});

test("nothing in a configuration can be changed afterwards", () => {
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    expect(Object.isFrozen(value)).toBe(true);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(configOf(REALISTIC, ENV));
});

test("an id that is not given is the hash of what is written, and so survives a new key", () => {
  const text = "model_list: [{model_name: g, litellm_params: {model: openai/x, api_key: os.environ/K, rpm: 3}}]";
  const expected = createHash("sha256").update("gmodelopenai/xapi_keyos.environ/Krpm3").digest("hex");
  for (const key of ["one", "two"]) expect(configOf(text, { K: key }).deployments[0]?.id).toBe(expected);
});

test("an id that is not given survives another budget, whose spending is known by it", () => {
  const idWith = (budget: string) =>
    configOf(`model_list: [{model_name: g, litellm_params: {model: openai/x${budget}}}]`).deployments[0]?.id;
  expect(idWith(", max_budget: 20, budget_duration: 7d")).toBe(idWith(""));
  expect(idWith(", max_budget: 30, budget_duration: 30d")).toBe(idWith(""));
});

test.each([
  ["hosted: true", ["x-gw-api-key"]],
  ["litellm_key_header_name: X-Our-Key", ["x-our-key"]],
  ["key_headers: [X-One, x-two]", ["x-one", "x-two"]],
])("%s decides which headers carry a key", (setting, headers) => {
  expect(configOf(`general_settings: {${setting}}`).keys.headers).toEqual(headers);
});

test.each([
  ["general_settings: {metrics_access: loopback}", "loopback"],
  ["litellm_settings: {require_auth_for_metrics_endpoint: false}", "public"],
  ["litellm_settings: {require_auth_for_metrics_endpoint: true}", "key"],
  ["gateway_settings: {require_auth_for_metrics_endpoint: no}\ngeneral_settings: {metrics_access: key}", "key"],
] as const)("%s decides who reads the metrics", (text, access) => {
  expect(configOf(text).server.metricsAccess).toBe(access);
});

test("the file is the one asked for, else TURNPIKE_CONFIG's, else ./turnpike.yaml, else none", () => {
  const readFile = readFrom({
    "asked.yaml": "general_settings: {port: 1}",
    "named.yaml": "general_settings: {port: 2}",
    "./turnpike.yaml": "general_settings: {port: 3}",
  });
  const portOf = (file: string | null, env: Record<string, string>, read = readFile) => {
    const result = loadConfig({ file, env, readFile: read });
    return result.ok ? [result.config.server.port, result.files] : result.faults;
  };
  expect(portOf("asked.yaml", { TURNPIKE_CONFIG: "named.yaml" })).toEqual([1, ["asked.yaml"]]);
  expect(portOf(null, { TURNPIKE_CONFIG: "named.yaml" })).toEqual([2, ["named.yaml"]]);
  expect(portOf(null, {})).toEqual([3, ["./turnpike.yaml"]]);
  expect(portOf(null, {}, readFrom({}))).toEqual([4000, []]);
  const missing = "cannot read `no.yaml`: there is no such file";
  expect(portOf("no.yaml", {})).toMatchObject([{ file: "no.yaml", line: null, path: "", message: missing }]);
  expect(portOf(null, { TURNPIKE_CONFIG: "no.yaml" })).toMatchObject([
    { file: "environment", path: "TURNPIKE_CONFIG", message: missing },
  ]);
});

test("a file of a hundred deployments loads whole", () => {
  const entry = (n: number) => `  - model_name: group-${n % 20}
    litellm_params: {model: openai/m-${n}, api_key: key-${n}, rpm: ${n}}
    model_info: {id: d-${n}}
`;
  const text = `model_list:\n${Array.from({ length: 100 }, (_, n) => entry(n)).join("")}`;
  expect(configOf(text).deployments).toHaveLength(100);
});

test("`cooldown_time` may stand beside its neighbours in either section; that of the router wins", () => {
  expect(configOf("litellm_settings: {cooldown_time: 30, allowed_fails: 3}").router.cooldownSeconds).toBe(30);
  const both = "litellm_settings: {cooldown_time: 30}\nrouter_settings: {cooldown_time: 7}";
  expect(configOf(both).router.cooldownSeconds).toBe(7);
});

test("where thousands of names are not known, what they might mean is looked for only at first", () => {
  const count = 1_000;
  const lines = (line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join("");
  const result = loadText(
    `model_list:\n${lines((index) => `  - {model_name: model-${index}, litellm_params: {model: echo/chat}}\n`)}` +
      `router_settings:\n  fallbacks:\n${lines((index) => `    - {model-${index}: [modle-${index}]}\n`)}`,
  );
  const { warnings } = result;
  expect(warnings).toHaveLength(count);
  expect(warnings[0]?.message).toContain("did you mean `model-0`?");
  expect(warnings.filter(({ message }) => message.includes("did you mean")).length).toBeLessThan(count / 10);
});
