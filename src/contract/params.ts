/** The parameters that OpenAI's interface has, by operation. A provider states which of them it honours. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const OPENAI_PARAMS = {
  chat: words(`
    audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens modalities n
    parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort response_format
    safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs
    top_p user verbosity web_search_options`),
  completion: words(`
    best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop stream stream_options suffix
    temperature top_p user`),
  embedding: words("dimensions encoding_format user"),
  moderation: words(""),
  speech: words("voice response_format speed instructions stream_format"),
  transcription: words(
    "language prompt response_format temperature timestamp_granularities stream include chunking_strategy",
  ),
  translation: words("prompt response_format temperature"),
  image: words(`
    n size quality response_format style user background moderation output_compression output_format partial_images
    stream`),
  image_edit: words(`
    n size quality response_format user background input_fidelity output_compression output_format partial_images stream`),
  rerank: words("top_n rank_fields return_documents max_chunks_per_doc max_tokens_per_doc"),
  // A connection that stays open: what is asked on it comes later, in events.
  realtime: words(""),
} as const;

/** Fields of Gemini's `generationConfig` that OpenAI's interface does not have, or has under other names. */
const GEMINI_GENERATION = words(`
  audioTimestamp candidateCount enableAffectiveDialog enableEnhancedCivicAnswers frequencyPenalty imageConfig
  maxOutputTokens mediaResolution modelSelectionConfig presencePenalty responseJsonSchema responseLogprobs
  responseMimeType responseModalities responseSchema routingConfig speechConfig stopSequences thinkingConfig topK topP`);

/** Settings that Ollama expects in `options`; callers also write them next to the other fields. */
const OLLAMA_OPTIONS = words(`
  num_keep num_predict top_k min_p typical_p tfs_z repeat_last_n repeat_penalty mirostat mirostat_tau mirostat_eta
  penalize_newline num_ctx num_batch num_gpu main_gpu low_vram f16_kv vocab_only use_mmap use_mlock num_thread numa
  draft_num_predict`);

/** Extensions that servers with OpenAI's chat interface share. */
const COMPATIBLE = words(`
  add_generation_prompt chat_template chat_template_kwargs continue_final_message enable_search enable_thinking
  guided_choice guided_grammar guided_json guided_regex ignore_eos include_reasoning include_stop_str_in_output
  length_penalty min_p min_tokens plugins prompt_mode provider random_seed reasoning_budget reasoning_format
  reasoning_split repetition_penalty safe_prompt search_parameters skip_special_tokens stop_token_ids
  structured_outputs thinking thinking_budget top_a top_k transforms typical_p`);

/**
 * The fields of each API for chats, in addition to `OPENAI_PARAMS.chat`. A request that is translated from one API to
 * another sends only fields of the second API's row. Gemini takes its fields in snake case too.
 */
export const API_FIELDS = {
  openai: words("prompt_cache_options prompt_cache_retention moderation"),
  compatible: COMPATIBLE,
  /** The offline models. */
  echo: [...COMPATIBLE, "echo_fault"],
  responses: words(`
    background client_metadata context_management conversation include max_output_tokens max_tool_calls moderation
    multi_agent previous_response_id prompt prompt_cache_options prompt_cache_retention reasoning text truncation`),
  anthropic: words(`
    anthropic_beta betas cache_control container context_management inference_geo mcp_servers output_config speed
    system thinking top_k`),
  gemini: [
    ...GEMINI_GENERATION,
    ...words("cachedContent generationConfig labels modelArmorConfig safetySettings serviceTier"),
    ...words("systemInstruction thinking toolConfig"),
  ],
  bedrock: words(`
    additionalModelRequestFields additionalModelResponseFieldPaths anthropic_beta guardrailConfig inferenceConfig
    model_id outputConfig output_config performanceConfig promptVariables requestMetadata serviceTier system thinking
    toolConfig top_k`),
  cohere: words("citation_options k p raw_prompting safety_mode strict_tools thinking top_k"),
  ollama: [...OLLAMA_OPTIONS, ...words("format keep_alive options raw shift template think truncate")],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type ChatApi = keyof typeof API_FIELDS;

export const GEMINI_GENERATION_FIELDS: ReadonlySet<string> = new Set(GEMINI_GENERATION);
export const OLLAMA_OPTION_FIELDS: ReadonlySet<string> = new Set(OLLAMA_OPTIONS);

const API_FIELD_SETS = new Map(
  Object.entries(API_FIELDS).map(([api, names]) => [api as ChatApi, new Set<string>(names)]),
);

/** Whether an API for chats has a field in addition to OpenAI's parameters. */
export function isApiField(api: ChatApi, name: string): boolean {
  const fields = API_FIELD_SETS.get(api);
  return fields?.has(name) === true || (api === "gemini" && fields?.has(camelCase(name)) === true);
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What can be asked of a model. */
export type Operation = keyof typeof OPENAI_PARAMS;
export const OPERATIONS = Object.keys(OPENAI_PARAMS) as Operation[];

/** What stands in the log: also what goes on to an address of the operator's and has no model. */
export type LoggedOperation = Operation | "pass_through";

/** What is asked with a form of files, and not with JSON. */
export type FormOperation = "transcription" | "translation" | "image_edit";

export const isForm = (operation: Operation): operation is FormOperation =>
  operation === "transcription" || operation === "translation" || operation === "image_edit";

/** A sound becomes a text, and how long it is counts. */
export const takesAudio = (operation: Operation): operation is "transcription" | "translation" =>
  operation === "transcription" || operation === "translation";

/** The answer is pictures. */
export const makesImages = (operation: Operation): operation is "image" | "image_edit" =>
  operation === "image" || operation === "image_edit";

/** Fields that say what is asked, not how: every provider has them. */
export const INPUT_FIELDS: ReadonlySet<string> = new Set(words("model messages prompt input file query documents"));

/** Fields that steer the gateway and are none of the model's business. */
export const GATEWAY_FIELDS: ReadonlySet<string> = new Set(
  words(`
    anthropic_form reasoning_summary metadata guardrails caching cache num_retries max_retries context_window_fallback_dict fallbacks models route disable_fallbacks timeout
    context_window_fallbacks content_policy_fallbacks default_fallbacks max_fallbacks retry_policy model_group_retry_policy
    request_timeout stream_timeout
    drop_params additional_drop_params allowed_openai_params enable_json_schema_validation tags no-log
    gw_call_id gw_logging_obj gw_metadata litellm_call_id litellm_logging_obj litellm_metadata litellm_session_id
    logger_fn router_settings_override priority mock_response mock_tool_calls mock_timeout mock_delay
    mock_testing_fallbacks mock_testing_context_fallbacks mock_testing_content_policy_fallbacks mock_testing_rate_limit_error
    callbacks success_callback failure_callback service_callback litellm_disabled_callbacks turn_off_message_logging
    proxy_server_request secret_fields disable_global_guardrails opted_out_global_guardrails litellm_embedding_config
    litellm_trace_id litellm_credential_name fastest_response prompt_id prompt_variables
    input_cost_per_token output_cost_per_token input_cost_per_second output_cost_per_second`),
);

/** Fields by which a caller would change where a call or its log goes, or with whose key: refused unless the deployment allows it. */
export const CREDENTIAL_FIELDS: ReadonlySet<string> = new Set(
  words(`
    api_base base_url api_key api_version api_type custom_llm_provider organization user_config deployment_url
    azure_ad_token aws_access_key_id aws_secret_access_key aws_session_token aws_region_name aws_role_name
    aws_session_name aws_profile_name aws_sts_endpoint aws_web_identity_token aws_bedrock_runtime_endpoint
    vertex_credentials vertex_ai_credentials vertex_project vertex_location s3_endpoint_url sagemaker_base_url
    langfuse_public_key langfuse_secret langfuse_secret_key langfuse_host langsmith_api_key langsmith_base_url
    arize_api_key arize_space_key posthog_api_key posthog_api_url humanloop_api_key wandb_api_key
    gcs_bucket_name gcs_path_service_account slack_webhook_url`),
);

/** Parameters of a deployment that say how it is used; all others are defaults for the fields of a call. */
export const DEPLOYMENT_FIELDS: ReadonlySet<string> = new Set(
  words(`
    model weight order rpm tpm timeout stream_timeout max_retries num_retries max_parallel_requests cooldown_time tags region_name
    drop_params litellm_credential_name configurable_clientside_auth_params max_budget budget_duration
    additional_drop_params allowed_openai_params extra_headers headers project_id
    tenant_id client_id client_secret azure_scope`),
);

/** As sets, made once: for each call they took 5 µs. */
const PARAM_NAMES = new Map(OPERATIONS.map((operation) => [operation, new Set<string>(OPENAI_PARAMS[operation])]));

export const isOpenAiParam = (operation: Operation, name: string): boolean =>
  PARAM_NAMES.get(operation)?.has(name) ?? false;
