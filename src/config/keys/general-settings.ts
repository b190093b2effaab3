import { keyTable } from "./key-table.ts";
import LITELLM from "./litellm-names.json" with { type: "json" };

const OWN_KEYS = "calls need a key of this gateway; people sign in with `general_settings.oidc`";
const END_USER = "the header x-gw-end-user-id names the end user";
const ONLY_USER = "nothing here does the same, except `enforce_user_param`";

export const GENERAL_SETTINGS = keyTable({
  litellm: LITELLM.general_settings,
  served: `
    host port workers data_dir journal_sync signup_credits database_url database_connection_timeout
    master_key admin_email admin_password demo secret
    key_headers litellm_key_header_name hosted header_prefix
    cors_origins max_request_size_mb drain_timeout public_url log_level metrics_access always_include_stream_usage
    trusted_proxies strict_transport_seconds api_reads_per_minute api_writes_per_minute oidc
    allow_signup signups_per_hour organizations_per_user create_unknown_users signup_credits markup_percent max_output_estimate unpriced_models require_verified_email smtp smtp_url store_model_in_db
    usage_retention_days audit_retention_days billing background_health_checks health_check_interval health_check_concurrency
    max_parallel_requests global_max_parallel_requests end_user_limits redis_url allowed_ips enforce_user_param
    max_request_memory_mb max_request_memory_per_key_mb max_request_memory_per_address_mb request_body_timeout
    max_pending_calls max_event_loop_delay max_realtime_session file_search_model max_file_size_mb storage_quota_mb keep_free_mb files_bucket training pass_through_endpoints moderation_model`,
  known: `
    database_connection_pool_limit supported_db_objects completion_model embedding_model
    image_generation_model infer_model_from_keys oauth2_config_mappings allow_user_auth litellm_license
    disable_retry_on_max_parallel_request_limit_error max_response_size_mb health_check_details
    enable_health_check_routing health_check_staleness_threshold allow_public_health_readiness_details
    alert_types alert_to_webhook_url alerting_args alerting_threshold public_routes
    forward_client_headers_to_llm_api forward_llm_provider_auth_headers forward_openai_org_id
    use_client_credentials_pass_through_routes maximum_spend_logs_retention_interval
    disable_spend_updates disable_reset_budget disable_master_key_return disable_adding_master_key_hash_to_db
    disable_prisma_schema_update disable_responses_id_security use_redis_transaction_buffer proxy_batch_write_at
    proxy_batch_polling_interval proxy_budget_rescheduler_min_time proxy_budget_rescheduler_max_time
    user_api_key_cache_ttl allow_requests_on_db_unavailable key_management_settings use_azure_key_vault
    use_google_kms enable_public_model_hub user_mcp_management_mode mcp_client_timeout mcp_internal_ip_ranges
    mcp_semantic_tool_filter mcp_trusted_proxy_ranges`,
  instead: {
    custom_sso: "people sign in with `general_settings.oidc`",
    default_team_disabled: "every key belongs to a team here",
    use_x_forwarded_for: "`general_settings.trusted_proxies` names the proxies whose x-forwarded-for is believed",
    trusted_proxy_ranges: "`general_settings.trusted_proxies` does the same",
    allow_client_side_credentials: "`configurable_clientside_auth_params` of a model does the same for that model",
    store_prompts_in_spend_logs: 'each organization chooses "Keep requests and answers with the log" in its settings',
    maximum_spend_logs_retention_period: "`general_settings.usage_retention_days` does the same",
    disable_spend_logs: "calls are always logged; `general_settings.usage_retention_days` removes them sooner",
    alerting: "organizations are told of budgets and credit by mail (`smtp`) and webhooks",
    spend_report_frequency: 'the page "Usage" and `turnpike usage` sum up what was spent',
    user_header_name: END_USER,
    user_header_mappings: END_USER,
    key_management_system: "`os.environ/NAME` takes secrets from the environment",
  },
  protecting: {
    custom_auth: "keys of this gateway say who calls, and `general_settings.oidc` who signs in",
    enable_jwt_auth: OWN_KEYS,
    litellm_jwtauth: OWN_KEYS,
    enable_oauth2_auth: OWN_KEYS,
    enable_oauth2_proxy_auth: OWN_KEYS,
    custom_key_generate: "roles in a team say who may make keys, and the limits of the team hold for all of its keys",
    custom_key_update: "roles in a team say who may change keys, and the limits of the team hold for all of its keys",
    role_permissions: "what a role may do is fixed; docs/platform.md has the list",
    enforced_params: ONLY_USER,
    service_account_settings: ONLY_USER,
    allowed_routes: "a proxy in front can limit the paths; keys can be limited to models and addresses",
    admin_only_routes: "administration is open to administrators alone; for other paths use a proxy in front",
    ui_access_mode: "people see what their role allows; `general_settings.allow_signup: false` keeps strangers out",
    reject_clientside_metadata_tags: "tags that callers send count",
  },
});
