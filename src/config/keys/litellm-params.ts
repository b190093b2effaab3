import { keyTable, words } from "./key-table.ts";
import { PRICE_KEYS, UNCHARGED_PRICES } from "./prices.ts";

/** A part of a try is none. */
export const PARAM_COUNTS: ReadonlySet<string> = new Set(["max_retries", "num_retries"]);

export const PARAM_NUMBERS: ReadonlySet<string> = new Set([
  ...words("tpm rpm weight order timeout stream_timeout max_parallel_requests max_budget cooldown_time"),
  ...PARAM_COUNTS,
  ...PRICE_KEYS,
]);

export const PARAM_BOOLEANS: ReadonlySet<string> = new Set(["drop_params"]);

export const PARAM_TEXTS: ReadonlySet<string> = new Set(
  words(`
    model custom_llm_provider api_key api_base base_url api_version organization region_name
    litellm_credential_name budget_duration
    vertex_project vertex_location
    aws_access_key_id aws_secret_access_key aws_session_token aws_region_name aws_bedrock_runtime_endpoint
    aws_role_name aws_profile_name aws_web_identity_token
    azure_ad_token azure_scope tenant_id client_id client_secret`),
);

const ACCESS_KEYS = "set `aws_access_key_id` and `aws_secret_access_key`, or `api_key`: calls are refused as it is";
const ASSUMED = "it belongs to `aws_role_name`, which is not served";
const AS_APP = "set `tenant_id`, `client_id` and `client_secret`, or `api_key`";
const BATCHES = "a batch is carried out here, by single calls";

export const PARAM_TEXT_LISTS: ReadonlySet<string> = new Set([
  "tags",
  "additional_drop_params",
  "allowed_openai_params",
]);

/** Parameters of a call that a deployment may set a default for; handed on as they are. */
const CALL_DEFAULTS = `
  temperature top_p top_k n stop seed user max_tokens max_completion_tokens presence_penalty frequency_penalty
  logit_bias logprobs top_logprobs response_format tools tool_choice parallel_tool_calls functions
  function_call stream_options reasoning_effort thinking verbosity modalities audio prediction
  service_tier store web_search_options prompt_cache_key safety_settings
  extra_headers extra_body
  dimensions encoding_format input_type voice speed size quality style language guided_json
  min_p repetition_penalty`;

/** What a model says of itself: of a credential it would have no effect. */
export const OF_MODELS_ALONE: ReadonlySet<string> = new Set(["model", "litellm_credential_name"]);

export const LITELLM_PARAMS = keyTable({
  served: [
    ...PARAM_NUMBERS,
    ...PARAM_BOOLEANS,
    ...PARAM_TEXTS,
    ...PARAM_TEXT_LISTS,
    "configurable_clientside_auth_params vertex_credentials project_id",
    CALL_DEFAULTS,
  ].join(" "),
  known: `
    tag_regex use_in_pass_through use_litellm_proxy use_chat_completions_api merge_reasoning_content_in_choices
    mock_response mock_timeout mock_delay cache fallbacks max_file_size_mb auto_router_config auto_router_config_path
    auto_router_default_model auto_router_embedding_model complexity_router_config
    complexity_router_default_model cache_control_injection_points prompt_id prompt_variables vector_store_ids
    adaptive_router_config adaptive_router_default_model quality_router_config quality_router_default_model
    supports_system_message ensure_alternating_roles user_continue_message assistant_continue_message custom_prompt_dict
    roles initial_prompt_value final_prompt_value bos_token eos_token hf_model_name litellm_system_prompt
    litellm_trace_id litellm_session_id litellm_metadata litellm_request_debug logger_fn verbose silent_model
    caching caching_groups cache_key ttl retry_policy retry_strategy max_fallbacks context_window_fallback_dict
    fastest_response text_completion stream_chunk_size stream_response force_timeout timeout_by_service_tier
    stream_timeout_by_service_tier provider_specific_header keepalive_seconds metadata model_info model_list model_config id
    azure_ad_token_provider watsonx_region_name use_client use_xai_oauth shared_session output_vector_size
    disable_add_transform_inline_image_block aws_session_tags aws_bedrock_project_id data_residency`,
  // Read only to refuse calls: those keys that are at hand would be somebody else's.
  checked: "aws_role_name aws_profile_name aws_web_identity_token",
  instead: {
    ...UNCHARGED_PRICES,
    headers: "`extra_headers` does the same",
    stream: "callers say whether they want a stream",
    aws_role_name: ACCESS_KEYS,
    aws_profile_name: ACCESS_KEYS,
    aws_web_identity_token: ACCESS_KEYS,
    vertex_ai_credentials: "`vertex_credentials` does the same",
    request_timeout: "`timeout` does the same",
    base_model: "write it into `model_info`",
    enable_json_schema_validation: "`litellm_settings.enable_json_schema_validation` holds for all deployments",
    ssl_verify: "certificates are always checked; NODE_EXTRA_CA_CERTS names those of your own authorities",
    azure_username: AS_APP,
    azure_password: AS_APP,
    aws_session_name: ASSUMED,
    aws_external_id: ASSUMED,
    aws_sts_endpoint: ASSUMED,
    aws_batch_role_arn: BATCHES,
    s3_bucket_name: BATCHES,
    s3_output_bucket_name: BATCHES,
    s3_region_name: BATCHES,
    s3_access_key_id: BATCHES,
    s3_secret_access_key: BATCHES,
    s3_encryption_key_id: BATCHES,
    s3_bucket_owner: BATCHES,
  },
  protecting: {
    default_api_key_tpm_limit: "keys have limits for each model of their own",
    default_api_key_rpm_limit: "keys have limits for each model of their own",
    itpm: "`tpm` limits all tokens together",
    otpm: "`tpm` limits all tokens together",
    allowed_model_region: "the header x-gw-region keeps a call at deployments of that `region_name`",
    guardrails: "`default_on: true` of a guardrail covers every call, and keys and teams name theirs",
  },
  concealing: {
    turn_off_message_logging: "requests and answers are kept only for organizations that choose it in their settings",
    "no-log": "requests and answers are kept only for organizations that choose it in their settings",
  },
});
