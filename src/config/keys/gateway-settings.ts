import { keyTable } from "./key-table.ts";

/** `litellm_settings`, which may also be called `gateway_settings`. */
export const GATEWAY_SETTINGS = keyTable({
  served: `
    request_timeout require_auth_for_metrics_endpoint drop_params model_alias_map enable_json_schema_validation
    cache cache_params default_in_memory_ttl default_redis_ttl
    num_retries allowed_fails cooldown_time fallbacks context_window_fallbacks content_policy_fallbacks default_fallbacks`,
  known: `
    modify_params callbacks success_callback failure_callback service_callbacks
    audit_log_callbacks store_audit_logs turn_off_message_logging redact_user_api_key_info
    langfuse_default_tags json_logs set_verbose telemetry force_ipv4 ssl_verify ssl_certificate
    max_budget budget_duration max_end_user_budget max_end_user_budget_id max_internal_user_budget
    internal_user_budget_duration default_internal_user_params default_team_settings default_team_params
    upperbound_key_generate_params default_key_generate_params key_generation_settings
    enable_key_alias_format_validation disable_end_user_cost_tracking
    disable_end_user_cost_tracking_prometheus_only custom_prometheus_metadata_labels custom_prometheus_tags
    prometheus_metrics_config prometheus_initialize_budget_metrics
    include_cost_in_streaming_usage enable_preview_features
    public_model_groups guardrails custom_provider_map model_group_settings priority_reservation
    priority_reservation_settings provider_url_destination_allowed_hosts responses
    cost_discount_config cost_margin_config mcp_aliases s3_callback_params datadog_params
    disable_add_transform_inline_image_block use_chat_completions_url_for_anthropic_messages
    disable_hf_tokenizer_download disable_copilot_system_to_assistant tag_budget_config`,
});
