import { expect, test } from "bun:test";
import { excerpt } from "../../src/config/excerpt.ts";
import { renderFaults } from "../../src/config/render-faults.ts";
import { faultsOf, loadText } from "./load-text.ts";

const CANARY = "CANARYcanary";

/** Secrets in every place where one may stand, and each place with something wrong in it. */
const TEXTS = [
  `general_settings:\n  master_key: ${CANARY}\n  database_url: mysql://u:${CANARY}@h/d\n  redis_url: http://:${CANARY}@h`,
  `general_settings:\n  mastr_key: ${CANARY}\n  "secret": "${CANARY}" ${CANARY}\n  admin_password: [${CANARY}]`,
  `general_settings: {masterkey: ${CANARY}, port: ${CANARY}, host: [${CANARY}]}`,
  `general_settings:\n  master_key ${CANARY}\n  port: 1`,
  `general_settings:\n  master_key: sk-${CANARY}: ${CANARY}`,
  `general_settings:\n\tmaster_key: ${CANARY}`,
  `general_settings:\n  master_key: "${CANARY}\\q"\n`,
  `general_settings:\n  master_key: !${CANARY} x\n  secret: *${CANARY}`,
  `general_settings:\n  secret: >\n    ${CANARY}\n   bad: ${CANARY}\n`,
  `general_settings:\n  port: x # ${CANARY}`,
  `general_settings:\n  host: os.environ/sk-${CANARY}\n  sk-${CANARY}-1: 3`,
  `model_list:\n  - model_name: m\n    litellm_params: {model: nope/x, api_key: ${CANARY}, api_kee: ${CANARY}}`,
  `model_list:\n  - model_name: m\n    litellm_params:\n      model: nope/x\n      api_key: [${CANARY}]\n      api_kee: ${CANARY}\n      aws_secret_access_key: {a: ${CANARY}}\n      timeout: ${CANARY}\n      api_base: ftp://u:${CANARY}@h`,
  `model_list:\n  - ${CANARY}\n  - model_name: sk-${CANARY}x\n    litellm_params: {model: sk-${CANARY}}\n  - model: sk-${CANARY}/m\n    api_key: ${CANARY}`,
  `model_list:\n  - model_name: m\n    litellm_params:\n      model: x/y\n      vertex_credentials: |\n        {"private_key": "${CANARY}"}\n       broken: "${CANARY}\n`,
  `credential_list:\n  - credential_name: c\n    credential_values: [${CANARY}]\n  - credential_values: {api_key: ${CANARY}, tpm: ${CANARY}}`,
  `environment_variables:\n  OPENAI_API_KEY: [${CANARY}]\n  OTHER: {a: ${CANARY}}`,
  `router_settings:\n  redis_password: {a: ${CANARY}}\n  redis_port: ${CANARY}\n  fallbacks: [{a: [sk-${CANARY}]}]`,
  `litellm_settings:\n  drop_params: ${CANARY}\n  api_key: ${CANARY}\n  fallbacks:\n    - ${CANARY}`,
  `guardrails:\n  - guardrail_name: g\n    litellm_params: {guardrail: webhok, secret: ${CANARY}, headers: {mode: ${CANARY}}, mode: os.environ/JUDGE}`,
  `guardrails:\n  - guardrail_name: g\n    litellm_params: {guardrail: pii, mode: os.environ/JUDGE, secret: [${CANARY}]}`,
  `general_settings:\n  log_level: os.environ/JUDGE\n  admin_password: 1${CANARY}\n  billing: {provider: x, stripe: {secret_key: ${CANARY}, type: ${CANARY}}}`,
  `model_list:\n  - {model_name: m, litellm_params: {model: nope/x, "api_key": "${CANARY}", 'api_base': '${CANARY}', unknown: ${CANARY}, headers: {type: ${CANARY}, x: [${CANARY}]}}, model_info: {note: ${CANARY}}}`,
  `environment_variables: {mode: [${CANARY}], type: {a: ${CANARY}}}`,
  CANARY,
  `- ${CANARY}`,
  `"${CANARY}`,
];

/** These stand in places that are no secret's, so that the excerpt may show them. */
const HARMLESS = /^(\s*(port|host|timeout|redis_port|drop_params|tpm)): .*$/;

test.each(TEXTS)("no secret is part of what is shown about %j", (text) => {
  const env = {
    TURNPIKE_MASTER_KEY: CANARY,
    TURNPIKE_DATABASE_URL: `mysql://${CANARY}`,
    TURNPIKE_PORT: CANARY,
    JUDGE: CANARY,
  };
  const result = loadText(text, env);
  const faults = [...faultsOf(result), ...result.warnings];
  expect(faults.length).toBeGreaterThan(0);
  expect(JSON.stringify(faults)).not.toContain(CANARY);
  const rendered = renderFaults(faults, () => text)
    .split("\n")
    .map((line) => line.replace(HARMLESS, "$1"));
  expect(rendered.join("\n")).not.toContain(CANARY);
});

type Row = readonly [line: string, shown: string];

/** A value that cannot be a secret is what a person looks for: it stands there as it is written. */
const SHOWN: readonly Row[] = [
  ["    guardrail: presidio", "    guardrail: presidio"],
  ["  type: rediss", "  type: rediss"],
  ["  ui_access_mode: admins", "  ui_access_mode: admins"],
  ["  enable_jwt_auth: true", "  enable_jwt_auth: true"],
  ["  user_api_key_cache_ttl: 60", "  user_api_key_cache_ttl: 60"],
  [
    "  litellm_params: {guardrail: presidio, mode: [pre_call, x], secret: hunter2, default_on: true}",
    "  litellm_params: {guardrail: presidio, mode: [pre_call, x], secret: ***, default_on: true}",
  ],
  [
    "- {model_name: m, litellm_params: {model: openai/x, rpm: 60, api_key: hunter2, api_base: http://a:b@c}}",
    "- {model_name: m, litellm_params: {model: openai/x, rpm: 60, api_key: ***, api_base: ***}}",
  ],
  ['{"guardrail":"presidio","secret":"hunter2"}', '{"guardrail":"presidio","secret":***}'],
];

/** What may be a secret, or belongs to a key that nobody knows, is not. */
const HIDDEN: readonly Row[] = [
  ["  admin_password: 12345678", "  admin_password: ***"],
  ["  api_kee: 12345678", "  api_kee: ***"],
  ["  litellm_params: {model: sk-hunter2hunter2, api_key: 12345678}", "  litellm_params: {model: ***, api_key: ***}"],
  ["  litellm_params: {headers: {mode: hunter2}, frob: true}", "  litellm_params: {headers: {mode: ***}, frob: ***}"],
  ["  litellm_params: {model: x, mode: hunter2", "  litellm_params: ***"],
  ["  environment_variables: {mode: hunter2}", "  environment_variables: {mode: ***}"],
  ["  hunter2", "  ***"],
];

test.each([...SHOWN, ...HIDDEN])("%j is shown as %j", (line, shown) => {
  expect(excerpt(line, 1)[0]).toBe(shown);
});

test("the caret stays under its word when a mask before it is shorter than what it hides", () => {
  const line = "  litellm_params: {model: x/y, api_key: a-long-secret, max_budgt: 5}";
  const [shown, caret] = excerpt(line, line.indexOf("max_budgt") + 1);
  expect(shown).toBe("  litellm_params: {model: x/y, api_key: ***, max_budgt: ***}");
  expect(caret).toBe(`${" ".repeat(shown.indexOf("max_budgt"))}^`);
  const [hidden, below] = excerpt(line, line.indexOf("a-long-secret") + 1);
  expect(below).toBe(`${" ".repeat(hidden.indexOf("***"))}^`);
});
