import { expect, test } from "bun:test";
import type { Fault } from "../../src/config/fault.ts";
import { renderFaults } from "../../src/config/render-faults.ts";
import { faultsOf, loadText, spot } from "./load-text.ts";

/** A model that is right but for one line of its parameters, which stands on line 5. */
const param = (line: string) => `model_list:
  - model_name: m
    litellm_params:
      model: echo/chat
      ${line}
`;
const general = (line: string) => `general_settings:\n  ${line}\n`;
const router = (line: string) => `router_settings:\n  ${line}\n`;

type Row = readonly [text: string, where: string, message: string];

const SYNTAX: readonly Row[] = [
  ["- a\n- b\n", "1:1 ", "found a list"],
  ["just text\n", "1:1 ", "found text"],
  ["general_settings:\n\tport: 1\n", "2:1 ", "a tab cannot indent"],
  ["general_settings:\n    port: 1\n  host: x\n", "3:1 ", "put as many spaces before it as before the keys"],
  [
    "general_settings:\n  port: 1\n   host: x\n",
    "2:9 ",
    "is the next line indented too far? If so, put as many spaces",
  ],
  ["x-a:\n- b: 1\n c: 2\n", "3:1 ", "or the line is indented wrongly: put as many spaces"],
  ["general_settings:\n  port: 1\n  port: 2\n", "3:3 ", "stands twice"],
  ["general_settings: {port: 1\n", "2:1 ", "bracket"],
  ["general_settings:\n  host: *nowhere\n", "2:9 general_settings.host", "anchor"],
  ["general_settings: &g\n  host: *g\n", "2:9 general_settings.host", "inside"],
  ["general_settings:\n  <<: 3\n", "2:7 general_settings", "`<<` takes a map"],
  ["? [a]\n: b\n", "1:3 ", "keys must be plain text"],
  ["x-a: 1\n---\nb: 2\n", "2:1 ", "one document"],
  ['general_settings: {host: "\\q"}\n', "1:27 ", "escape"],
  ["general_settings: {host: !thing x}\n", "1:26 ", "tag"],
];

const SECTIONS: readonly Row[] = [
  ["model_lst: []\n", "1:1 model_lst", "did you mean `model_list`?"],
  ["master_key: x\n", "1:1 master_key", "belongs under `general_settings`"],
  ["general_settings: []\n", "1:19 general_settings", "expected a map of keys, found a list"],
  ["model_list: {}\n", "1:13 model_list", "expected a list"],
  ["environment_variables: [a]\n", "1:24 environment_variables", "expected a map"],
  ["environment_variables:\n  A: [1]\n", "2:6 environment_variables.A", "expected text, found a list"],
  [general("mastr_key: x"), "2:3 general_settings.mastr_key", "did you mean `master_key`?"],
  [general("fallbacks: []"), "2:3 general_settings.fallbacks", "belongs under `router_settings`"],
  [general("frobnicate: 1"), "2:3 general_settings.frobnicate", "unknown key `frobnicate` in `general_settings`"],
  ["litellm_settings:\n  drop_parms: 1\n", "2:3 litellm_settings.drop_parms", "did you mean `drop_params`?"],
  [
    "litellm_settings: {drop_params: 1}\ngateway_settings: {drop_params: 1}\n",
    "2:20 gateway_settings.drop_params",
    "is set under `litellm_settings.drop_params` too",
  ],
];

const SETTINGS: readonly Row[] = [
  [general("port: 70000"), "2:9 general_settings.port", "from 0 to 65535"],
  [general("port: 1.5"), "2:9 general_settings.port", "a whole number"],
  [general("host: [a]"), "2:9 general_settings.host", "expected text, found a list"],
  [general("host: true"), "2:9 general_settings.host", "put it in quotes"],
  [general('host: ""'), "2:9 general_settings.host", "found none"],
  [general("demo: 7"), "2:9 general_settings.demo", "expected true or false, found a number"],
  [general("log_level: loud"), "2:14 general_settings.log_level", "one of debug, info, warn, error, found `loud`"],
  [general("master_key: abc"), "2:15 general_settings.master_key", "must begin with sk-"],
  [general("master_key: sk-short"), "2:15 general_settings.master_key", "16 characters"],
  [general("secret: short"), "2:11 general_settings.secret", "16 characters"],
  [
    general("database_url: 'postgres://turnpike:a/b+c=@host/db'"),
    "2:17 general_settings.database_url",
    "write `/` as `%2F`",
  ],
  [general("database_url: 'postgres://turnpike:p@ss#1@host/db'"), "2:17 general_settings.database_url", "`#` as `%23`"],
  [general("database_url: 'postgres://turnpike:100%@host/db'"), "2:17 general_settings.database_url", "`%` as `%25`"],
  [general("database_url: 'postgres://turnpike:a?b@host/db'"), "2:17 general_settings.database_url", "`?` as `%3F`"],
  [
    general("database_url: 'postgresql://u:p@h:port/d'"),
    "2:17 general_settings.database_url",
    "the port, after the `:`",
  ],
  [general("database_url: mysql://x"), "2:17 general_settings.database_url", "postgres://"],
  [general("redis_url: localhost"), "2:14 general_settings.redis_url", "redis://"],
  [general("public_url: example.com"), "2:15 general_settings.public_url", "https://"],
  [general("cors_origins: [https://a.b/c]"), "2:17 general_settings.cors_origins", "without a path"],
  [general("allowed_ips: [10.0.0.0/8, here]"), "2:16 general_settings.allowed_ips", "addresses or ranges"],
  [general("allowed_ips: []"), "2:16 general_settings.allowed_ips", "nobody could call"],
  [general("enforce_user_param: perhaps"), "2:23 general_settings.enforce_user_param", "true or false"],
  [general("trusted_proxies: [10.0.0.0/33]"), "2:20 general_settings.trusted_proxies", "addresses or ranges"],
  [general("oidc: {client_id: a}"), "2:9 general_settings.oidc", "`issuer` is missing"],
  [general("oidc: {issuer: 'https://a.b', client_id: a, isuer: b}"), "2:47 general_settings.oidc.isuer", "issuer"],
  [general("oidc: {issuer: 'http://a.b', client_id: a}"), "2:18 general_settings.oidc.issuer", "needs https://"],
  [
    general("oidc: {issuer: 'https://a.b', client_id: a, scopes: [email]}"),
    "2:55 general_settings.oidc.scopes",
    "needs `openid`",
  ],
  [
    general("oidc: {issuer: 'https://a.b', client_id: a, allowed_domains: ['@a.b']}"),
    "2:64 general_settings.oidc.allowed_domains",
    "without @",
  ],
  [general("api_reads_per_minute: -1"), "2:25 general_settings.api_reads_per_minute", "of 0 or more"],
  [general("key_headers: []"), "2:16 general_settings.key_headers", "at least one"],
  [general("header_prefix: a b"), "2:18 general_settings.header_prefix", "hyphens"],
  [general("admin_email: nobody"), "2:16 general_settings.admin_email", "e-mail"],
  [general("max_request_size_mb: 0"), "2:24 general_settings.max_request_size_mb", "0.001 or more"],
  [general("host: os.environ/NOT_SET"), "2:9 general_settings.host", "NOT_SET is not set"],
  [general("host: os.environ/not a name"), "2:9 general_settings.host", "name of an environment variable"],
  [router("routing_strategy: best"), "2:21 router_settings.routing_strategy", ", found `best`"],
  [
    "model_list:\n  - {model_name: a, litellm_params: {model: openai/gpt-4o, num_retries: 2.5}}\n",
    "2:73 model_list[0].litellm_params.num_retries",
    "a whole number of 0 or more",
  ],
  [
    "model_list:\n  - {model_name: a, litellm_params: {model: openai/gpt-4o, max_retries: 0.5}}\n",
    "2:73 model_list[0].litellm_params.max_retries",
    "a whole number of 0 or more",
  ],
  [router("num_retries: -1"), "2:16 router_settings.num_retries", "0 or more"],
  [router("timeout: .inf"), "2:12 router_settings.timeout", "expected a number from 0 to 9007199254740991, in seconds"],
  [router("cooldown_time: 5s"), "2:18 router_settings.cooldown_time", "a number of 0 or more, in seconds, found text"],
  [router("cooldown_time: -1"), "2:18 router_settings.cooldown_time", "a number of 0 or more, in seconds"],
  [router("cooldown_time: 1e30"), "2:18 router_settings.cooldown_time", "from 0 to 9007199254740991, in seconds"],
  [
    router("routing_strategy_args: {ttl: long}"),
    "2:32 router_settings.routing_strategy_args.ttl",
    "0 or more, in seconds",
  ],
  [router("routing_strategy_args: {decay: 0}"), "2:34 router_settings.routing_strategy_args.decay", "0.001 or more"],
  [router("allowed_fails: few"), "2:18 router_settings.allowed_fails", "a whole number of 0 or more, found text"],
  [router("fallbacks: {a: [b]}"), "2:14 router_settings.fallbacks", "expected a list"],
  [router("fallbacks: [{a: [b], c: [d]}]"), "2:15 router_settings.fallbacks[0]", "found 2 keys"],
  [router("fallbacks: [{'*': {b: c}}]"), "2:21 router_settings.fallbacks[0].*", "expected a list"],
  [
    router("retry_policy: {TimeoutRetries: 1}"),
    "2:18 router_settings.retry_policy.TimeoutRetries",
    "TimeoutErrorRetries",
  ],
  [
    router("model_group_alias: {a: {hiden: 1, model: '*'}}"),
    "2:27 router_settings.model_group_alias.a.hiden",
    "hidden",
  ],
  [router("model_group_alias: {a: {hidden: 1}}"), "2:26 router_settings.model_group_alias.a", "`model` is missing"],
];

const MODELS: readonly Row[] = [
  ["model_list:\n  - text\n", "2:5 model_list[0]", "found text"],
  ["model_list:\n  -\n", "2:4 model_list[0]", "found nothing"],
  ["model_list:\n  - model_name: m\n", "2:5 model_list[0]", "`litellm_params` is missing"],
  ["model_list:\n  - litellm_params: {model: echo/chat}\n", "2:5 model_list[0]", "`model_name` is missing"],
  ...["\\0", "\\n", "\\x7f", "\\x85"].map((written): [string, string, string] => [
    `model_list:\n  - model_name: "a${written}b"\n    litellm_params: {model: echo/chat}\n`,
    "2:17 model_list[0].model_name",
    "no control characters",
  ]),
  [
    "model_list:\n  - model_name: m\n    litellm_params: {rpm: 1}\n",
    "3:21 model_list[0].litellm_params",
    "`model` is missing",
  ],
  ["model_list:\n  - model_name: m\n    litelm_params: {}\n", "3:5 model_list[0].litelm_params", "`litellm_params`?"],
  [param("").replace("echo/chat", "opnai/x"), "4:14 model_list[0].litellm_params.model", "did you mean `openai`?"],
  [param("").replace("echo/chat", "llama-3"), "4:14 model_list[0].litellm_params.model", "write `provider/model`"],
  [param("").replace("echo/chat", "openai/"), "4:14 model_list[0].litellm_params.model", "missing after the slash"],
  [param("custom_llm_provider: nope"), "5:28 model_list[0].litellm_params.custom_llm_provider", "unknown provider"],
  [param("rpm: -1"), "5:12 model_list[0].litellm_params.rpm", "0 or more"],
  [param("tpm: lots"), "5:12 model_list[0].litellm_params.tpm", "expected a number of 0 or more, found text"],
  [param("weight: [1]"), "5:15 model_list[0].litellm_params.weight", "found a list"],
  [param("api_base: localhost:80"), "5:17 model_list[0].litellm_params.api_base", "http://"],
  [param("tags: {a: b}"), "5:13 model_list[0].litellm_params.tags", "expected a list"],
  [param("litellm_credential_name: x"), "5:32 model_list[0].litellm_params.litellm_credential_name", "has no `x`"],
  ["credential_list: {}\n", "1:18 credential_list", "expected a list"],
  ["credential_list:\n  - credential_name: x\n", "2:5 credential_list[0]", "`credential_values` is missing"],
  [
    `${param("")}    model_info: {id: one}\n  - model_name: n\n    litellm_params: {model: echo/chat}\n    model_info: {id: one}\n`,
    "9:22 model_list[1].model_info.id",
    "the same id is used by model_list[0] (a.yaml:2)",
  ],
];

test.each([...SYNTAX, ...SECTIONS, ...SETTINGS, ...MODELS])("%j is one fault at %s: %s", (text, where, message) => {
  const faults = faultsOf(loadText(text));
  expect(faults.map(spot)).toEqual([where]);
  expect(faults[0]?.message).toContain(message);
});

const WARNINGS: readonly Row[] = [
  [
    `${param("")}  - model_name: m\n    litellm_params:\n      model: echo/chat\n`,
    "6:5 model_list[1]",
    "the deployment is the same as model_list[0] (a.yaml:2); the second is ignored",
  ],
  [param("api_kee: x"), "5:7 model_list[0].litellm_params.api_kee", "did you mean `api_key`?"],
  [router("fallbacks: [{'*': [m1]}]"), "2:22 router_settings.fallbacks[0].*[0]", "no model is called `m1`"],
  [router("fallbacks: [{m1: []}]"), "2:16 router_settings.fallbacks[0].m1", "never used"],
  [router("default_fallbacks: [m1]"), "2:23 router_settings.default_fallbacks[0]", "no model is called `m1`"],
  [router("model_group_alias: {a: m1}"), "2:26 router_settings.model_group_alias.a", "no model is called `m1`"],
  [general("hosted: true\n  key_headers: [a]"), "3:16 general_settings.key_headers", "no effect"],
  ["environment_variables:\n  TURNPIKE_PORT: 1\n", "2:3 environment_variables.TURNPIKE_PORT", "general_settings.port"],
];

/** Without the note that a setting waits for the part that acts on it. */
const meaningful = (warnings: readonly Fault[]): Fault[] =>
  warnings.filter(({ message }) => !message.includes("is known but has no effect yet"));

test.each(WARNINGS)("%j is a warning at %s: %s", (text, where, message) => {
  const result = loadText(text);
  expect(faultsOf(result)).toEqual([]);
  const warnings = meaningful(result.warnings);
  expect(warnings.map(spot)).toEqual([where]);
  expect(warnings[0]?.message).toContain(message);
});

test.each(["taken", "the-id", "echo"])(
  "an alias that is called as a model, here %s, is warned about: it is never used",
  (alias) => {
    const text = `model_list:
  - {model_name: a, litellm_params: {model: echo/chat}, model_info: {id: the-id}}
  - {model_name: taken, litellm_params: {model: echo/chat}}
  - {model_name: free/*, litellm_params: {model: echo/*}}
router_settings:
  model_group_alias: {${alias}: a, free/one: a}
`;
    const warnings = meaningful(loadText(text).warnings);
    expect(warnings.map(spot)).toEqual([`6:23 router_settings.model_group_alias.${alias}`]);
    expect(warnings[0]?.message).toBe(
      `this alias is never used: \`${alias}\` is a model by itself, and that is called`,
    );
  },
);

test.each([
  ["is there beside the models of the file", true, []],
  ["is missed where it is switched off", false, ["no model is called `echo`"]],
] as const)("a model that is built in %s", (_, demo, expected) => {
  const text = `model_list:
  - {model_name: a, litellm_params: {model: echo/chat}}
router_settings:
  fallbacks: [{a: [echo]}]
general_settings: {demo: ${demo}}
`;
  expect(meaningful(loadText(text).warnings).map(({ message }) => message)).toEqual([...expected]);
});

test("a wildcard group, an alias and a deployment id can be fallen back to without a warning", () => {
  const text = `model_list:
  - {model_name: a, litellm_params: {model: echo/chat}, model_info: {id: the-id}}
  - {model_name: wild/*, litellm_params: {model: echo/*}}
router_settings:
  model_group_alias: {b: a}
  fallbacks: [{a: [wild/x, b, the-id]}, {wild/x: [a]}]
`;
  const result = loadText(text);
  expect([result.ok, meaningful(result.warnings)]).toEqual([true, []]);
});

const TEN_MISTAKES = `model_lst: []
model_list:
  - model_name: one
    litellm_params:
      model: opnai/gpt-4
      rpm: many
  - model_name: two
  - model_name: three
    litellm_params: {model: echo/chat, litellm_credential_name: none}
general_settings:
  port: 70000
  master_key: abc
  host: os.environ/NOT_SET
router_settings:
  routing_strategy: best
litellm_settings:
  drop_params: perhaps
`;

test("ten mistakes are reported at once, in the order of the file", () => {
  const faults = faultsOf(loadText(TEN_MISTAKES));
  expect(faults.map(spot)).toEqual([
    "1:1 model_lst",
    "5:14 model_list[0].litellm_params.model",
    "6:12 model_list[0].litellm_params.rpm",
    "7:5 model_list[1]",
    "9:65 model_list[2].litellm_params.litellm_credential_name",
    "11:9 general_settings.port",
    "12:15 general_settings.master_key",
    "13:9 general_settings.host",
    "15:21 router_settings.routing_strategy",
    "17:16 litellm_settings.drop_params",
  ]);
});

test("a rendered fault has its place, path and message, and the line with a caret", () => {
  const faults = faultsOf(loadText(TEN_MISTAKES, { TURNPIKE_DEMO: "maybe" }));
  const text = renderFaults(
    [faults[1], faults.at(-1)].filter((fault) => fault !== undefined),
    () => TEN_MISTAKES,
  );
  expect(
    text,
  ).toBe(`a.yaml:5:14  model_list[0].litellm_params.model  unknown provider \`opnai\`; did you mean \`openai\`?
          model: opnai/gpt-4
                 ^
environment  TURNPIKE_DEMO  expected true or false, found text`);
});

test("after a syntax error only what stands before it is checked, since the rest may be read wrongly", () => {
  const text = "general_settings:\n  prot: 1\n  host: [a\n  bad_key: 3\nrouter_settings:\n  also_bad: 1\n";
  expect(faultsOf(loadText(text)).map(spot)).toContain("2:3 general_settings.prot");
  expect(faultsOf(loadText(text)).map(({ path }) => path)).not.toContain("router_settings.also_bad");
});

test("an alias bomb is refused", () => {
  const levels = Array.from({ length: 12 }, (_, n) => `x-${n + 1}: &l${n + 1} [${`*l${n},`.repeat(10)}]`);
  const text = `x-0: &l0 [1]\n${levels.join("\n")}\n`;
  expect(faultsOf(loadText(text))).toMatchObject([{ line: null, message: expect.stringContaining("too often") }]);
});

test("an anchor may be used by hundreds of models", () => {
  const models = Array.from({ length: 300 }, (_, n) => `  - {model_name: m, litellm_params: {<<: *d, rpm: ${n}}}`);
  const text = `x-d: &d {model: echo/chat, timeout: 3}\nmodel_list:\n${models.join("\n")}\n`;
  expect(loadText(text)).toMatchObject({ ok: true, warnings: [] });
});

test("a limit of a model is warned about where no name, pattern or path that is passed on goes by it", () => {
  const text = `model_list:
  - {model_name: a, litellm_params: {model: echo/chat}}
  - {model_name: wild/*, litellm_params: {model: echo/*}}
general_settings:
  pass_through_endpoints: [{path: /passed, target: "https://elsewhere.example"}]
router_settings:
  model_group_alias: {b: a}
  model_group_limits: {a: {rpm: 1}, b: {rpm: 1}, wild/x: {rpm: 1}, "*": {rpm: 1}, "w*d/*": {rpm: 1}, /passed: {rpm: 1}, "c*": {rpm: 1}}
`;
  const warnings = meaningful(loadText(text).warnings);
  expect(warnings.map(({ message }) => message)).toEqual(["no model is called `c*`, so this limit is never used"]);
});
