import { expect, test } from "bun:test";
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
  CANARY,
  `- ${CANARY}`,
  `"${CANARY}`,
];

/** These stand in places that are no secret's, so that the excerpt may show them. */
const HARMLESS = /^(\s*(port|host|timeout|redis_port|drop_params|tpm)): .*$/;

test.each(TEXTS)("no secret is part of what is shown about %j", (text) => {
  const env = { TURNPIKE_MASTER_KEY: CANARY, TURNPIKE_DATABASE_URL: `mysql://${CANARY}`, TURNPIKE_PORT: CANARY };
  const result = loadText(text, env);
  const faults = [...faultsOf(result), ...result.warnings];
  expect(faults.length).toBeGreaterThan(0);
  expect(JSON.stringify(faults)).not.toContain(CANARY);
  const rendered = renderFaults(faults, () => text)
    .split("\n")
    .map((line) => line.replace(HARMLESS, "$1"));
  expect(rendered.join("\n")).not.toContain(CANARY);
});
