import { describe, expect, test } from "bun:test";
import { loadText } from "./load-text.ts";

/** As somebody brings it from another gateway: what protects stands among what does not matter. */
const BROUGHT = `general_settings:
  alerting: [slack]
  custom_auth: my_auth.check
  allowed_routes: [/chat/completions]
  enable_jwt_auth: true
  maximum_spend_logs_retention_period: 30d
  store_prompts_in_spend_logs: true
  use_redis_transaction_buffer: true
litellm_settings:
  set_verbose: true
  callbacks: [prometheus]
  max_budget: 100
  upperbound_key_generate_params: {max_budget: 10}
  turn_off_message_logging: true
model_list:
  - model_name: m
    litellm_params: {model: echo/chat, max_budget: 5, mock_response: x}
    model_info: {team_id: red}
`;

test.each(["presidio", "hide_secrets", "detect_prompt_injection", "dynamic_rate_limiter_v3"])(
  "the guardrail %s among callbacks is a protection that is missing",
  (name) => {
    const { ok, warnings } = loadText(`litellm_settings: {callbacks: [prometheus, ${name}]}`);
    expect(ok).toBe(true);
    expect(warnings).toMatchObject([{ path: "litellm_settings.callbacks", protects: true }]);
    expect(warnings[0]?.message).toContain(name);
  },
);

test("settings that only a newer LiteLLM knows are warnings, and other unknown names are errors", () => {
  const { ok, warnings } = loadText("general_settings: {use_shared_health_check: true, alert_type_config: {}}");
  expect(ok).toBe(true);
  expect(warnings.map(({ path }) => path)).toEqual([
    "general_settings.use_shared_health_check",
    "general_settings.alert_type_config",
  ]);
  expect(loadText("general_settings: {use_shared_health_chekc: true}").ok).toBe(false);
});

describe("settings that protect something and are not served", () => {
  const { ok, warnings } = loadText(BROUGHT);
  const protections = warnings.filter(({ protects }) => protects);

  test("come before all other warnings, in the order of the file, and hinder nothing", () => {
    expect(ok).toBe(true);
    expect(protections.map(({ line, path }) => `${line} ${path}`)).toEqual([
      "3 general_settings.custom_auth",
      "4 general_settings.allowed_routes",
      "5 general_settings.enable_jwt_auth",
      "12 litellm_settings.max_budget",
      "13 litellm_settings.upperbound_key_generate_params",
      "14 litellm_settings.turn_off_message_logging",
      "17 model_list[0].litellm_params.max_budget",
      "18 model_list[0].model_info.team_id",
    ]);
    expect(warnings.slice(0, protections.length)).toEqual(protections);
  });

  test("are said to leave a gap, with what to use instead", () => {
    const messages = new Map(protections.map(({ path, message }) => [path, message]));
    expect(messages.get("general_settings.enable_jwt_auth")).toBe(
      "`general_settings.enable_jwt_auth` is not served here, and without it more is let through than this file says; " +
        "calls need a key of this gateway; people sign in with `general_settings.oidc`",
    );
    expect(messages.get("litellm_settings.turn_off_message_logging")).toContain("more is kept or shown than this file");
    for (const message of messages.values()) expect(message).toMatch(/ than this file says; .+/);
  });

  test("others are known to have no effect, with what does the same where there is something", () => {
    const others = new Map(warnings.slice(protections.length).map(({ path, message }) => [path, message]));
    const yet = (name: string, instead = "") => expect(others.get(name)).toContain(`has no effect yet${instead}`);
    expect(others.size).toBe(7);
    yet("general_settings.maximum_spend_logs_retention_period", "; `general_settings.usage_retention_days`");
    yet("general_settings.store_prompts_in_spend_logs", '; each organization chooses "Keep requests and answers');
    yet("litellm_settings.callbacks", "; `/metrics`");
    yet("litellm_settings.set_verbose", "; `general_settings.log_level: debug` tells more");
    expect(others.get("general_settings.use_redis_transaction_buffer")).toEndWith("is known but has no effect yet");
  });

  test.each(["enable_jwt_auth: false", "ui_access_mode: all", "allowed_routes: []", "custom_auth:"])(
    "`%s` protects nothing, and is no gap",
    (line) => {
      const result = loadText(`general_settings:\n  ${line}\n`);
      expect(result.warnings.map(({ protects }) => protects)).toEqual([undefined]);
    },
  );
});
