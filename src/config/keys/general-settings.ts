import { keyTable } from "./key-table.ts";

export const GENERAL_SETTINGS = keyTable({
  served: `
    host port workers data_dir journal_sync signup_credits database_url database_connection_timeout
    master_key admin_email admin_password demo secret
    key_headers litellm_key_header_name hosted header_prefix
    cors_origins max_request_size_mb drain_timeout public_url log_level metrics_access always_include_stream_usage
    trusted_proxies api_reads_per_minute api_writes_per_minute oidc
    allow_signup signups_per_hour signup_credits markup_percent max_output_estimate require_verified_email smtp smtp_url store_model_in_db
    usage_retention_days billing background_health_checks health_check_interval health_check_concurrency
    max_parallel_requests global_max_parallel_requests end_user_limits redis_url
    max_pending_calls max_event_loop_delay file_search_model max_file_size_mb files_bucket training`,
  known: `
    database_connection_pool_limit supported_db_objects
    completion_model moderation_model embedding_model image_generation_model infer_model_from_keys
    custom_auth custom_key_generate custom_key_update custom_sso enable_jwt_auth litellm_jwtauth
    enable_oauth2_auth enable_oauth2_proxy_auth oauth2_config_mappings allow_user_auth litellm_license
    user_header_name user_header_mappings service_account_settings enforced_params default_team_disabled
    disable_retry_on_max_parallel_request_limit_error
    max_response_size_mb
    health_check_details
    enable_health_check_routing health_check_staleness_threshold allow_public_health_readiness_details
    alerting alert_types alert_to_webhook_url alerting_args alerting_threshold spend_report_frequency
    ui_access_mode allowed_routes public_routes admin_only_routes allowed_ips use_x_forwarded_for
    trusted_proxy_ranges enforce_user_param reject_clientside_metadata_tags allow_client_side_credentials
    forward_client_headers_to_llm_api forward_llm_provider_auth_headers forward_openai_org_id
    pass_through_endpoints use_client_credentials_pass_through_routes
    store_prompts_in_spend_logs maximum_spend_logs_retention_period maximum_spend_logs_retention_interval
    disable_spend_logs disable_spend_updates disable_reset_budget disable_master_key_return
    disable_adding_master_key_hash_to_db disable_prisma_schema_update disable_responses_id_security
    use_redis_transaction_buffer proxy_batch_write_at proxy_batch_polling_interval
    proxy_budget_rescheduler_min_time proxy_budget_rescheduler_max_time
    user_api_key_cache_ttl allow_requests_on_db_unavailable role_permissions
    key_management_system key_management_settings use_azure_key_vault use_google_kms
    enable_public_model_hub user_mcp_management_mode mcp_client_timeout mcp_internal_ip_ranges
    mcp_semantic_tool_filter mcp_trusted_proxy_ranges`,
});
