import { keyTable, words } from "./key-table.ts";
import { PRICE_KEYS, PRICE_TABLE_KEYS } from "./prices.ts";

export const PARAM_NUMBERS: ReadonlySet<string> = new Set([
  ...words("tpm rpm weight order timeout stream_timeout max_retries num_retries max_parallel_requests max_budget"),
  ...PRICE_KEYS,
]);

export const PARAM_BOOLEANS: ReadonlySet<string> = new Set(["drop_params"]);

export const PARAM_TEXTS: ReadonlySet<string> = new Set(
  words(`
    model custom_llm_provider api_key api_base base_url api_version organization region_name
    litellm_credential_name budget_duration
    vertex_project vertex_location
    aws_access_key_id aws_secret_access_key aws_session_token aws_region_name aws_session_name aws_role_name
    aws_profile_name aws_web_identity_token aws_sts_endpoint aws_bedrock_runtime_endpoint aws_external_id
    azure_ad_token azure_username azure_password azure_scope tenant_id client_id client_secret
    watsonx_region_name`),
);

export const PARAM_TEXT_LISTS: ReadonlySet<string> = new Set([
  "tags",
  "additional_drop_params",
  "allowed_openai_params",
]);

/** Parameters of a call that a deployment may set a default for; handed on as they are. */
const CALL_DEFAULTS = `
  temperature top_p top_k n stop seed user max_tokens max_completion_tokens presence_penalty frequency_penalty
  logit_bias logprobs top_logprobs response_format tools tool_choice parallel_tool_calls functions
  function_call stream stream_options reasoning_effort thinking verbosity modalities audio prediction
  service_tier store metadata web_search_options prompt_cache_key safety_settings
  extra_headers extra_body headers
  dimensions encoding_format input_type voice speed size quality style language guided_json
  min_p repetition_penalty`;

export const LITELLM_PARAMS = keyTable({
  served: [
    ...PARAM_NUMBERS,
    ...PARAM_BOOLEANS,
    ...PARAM_TEXTS,
    ...PARAM_TEXT_LISTS,
    ...PRICE_TABLE_KEYS,
    "configurable_clientside_auth_params vertex_credentials project_id",
    CALL_DEFAULTS,
  ].join(" "),
  known: `
    tag_regex use_in_pass_through use_litellm_proxy use_chat_completions_api merge_reasoning_content_in_choices
    mock_response mock_timeout mock_delay cache fallbacks max_file_size_mb auto_router_config auto_router_config_path
    auto_router_default_model auto_router_embedding_model complexity_router_config
    complexity_router_default_model cache_control_injection_points prompt_id prompt_variables vector_store_ids`,
  instead: { vertex_ai_credentials: "`vertex_credentials` does the same" },
  protecting: {
    default_api_key_tpm_limit: "keys have limits for each model of their own",
    default_api_key_rpm_limit: "keys have limits for each model of their own",
    guardrails: "`default_on: true` of a guardrail covers every call, and keys and teams name theirs",
  },
});
