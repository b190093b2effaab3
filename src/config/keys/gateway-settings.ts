import { keyTable } from "./key-table.ts";
import LITELLM from "./litellm-names.json" with { type: "json" };

const LOGS = '`/metrics` has what Prometheus reads; the log of calls is on the page "Logs" and in `turnpike logs`';

/** `litellm_settings`, which may also be called `gateway_settings`. */
export const GATEWAY_SETTINGS = keyTable({
  litellm: LITELLM.litellm_settings,
  served: `
    request_timeout require_auth_for_metrics_endpoint drop_params model_alias_map enable_json_schema_validation
    cache cache_params default_in_memory_ttl default_redis_ttl tag_budget_config max_end_user_budget
    num_retries allowed_fails cooldown_time fallbacks context_window_fallbacks content_policy_fallbacks default_fallbacks`,
  known: `
    modify_params mcp_semantic_tool_filter service_callbacks audit_log_callbacks langfuse_default_tags telemetry
    force_ipv4 ssl_verify ssl_certificate budget_duration internal_user_budget_duration default_team_settings
    enable_key_alias_format_validation disable_end_user_cost_tracking
    disable_end_user_cost_tracking_prometheus_only custom_prometheus_metadata_labels custom_prometheus_tags
    prometheus_metrics_config prometheus_initialize_budget_metrics include_cost_in_streaming_usage
    enable_preview_features public_model_groups custom_provider_map model_group_settings priority_reservation
    priority_reservation_settings provider_url_destination_allowed_hosts responses cost_discount_config
    mcp_aliases s3_callback_params datadog_params disable_add_transform_inline_image_block
    use_chat_completions_url_for_anthropic_messages disable_hf_tokenizer_download
    disable_copilot_system_to_assistant`,
  instead: {
    set_verbose: "`general_settings.log_level: debug` tells more",
    json_logs: "the log is JSON, a line for each event",
    callbacks: LOGS,
    success_callback: LOGS,
    failure_callback: LOGS,
    store_audit_logs: 'changes are always audited; administrators see them on the page "Audit log"',
    redact_user_api_key_info: "nothing is sent to logging services",
    cost_margin_config: "`general_settings.markup_percent` does the same",
  },
  protecting: {
    max_budget: "organizations, teams, members of teams and keys have budgets of their own",
    max_end_user_budget_id: "`general_settings.end_user_limits` has the limits and the budget of each end user",
    max_internal_user_budget: "give members of teams a budget",
    default_internal_user_params: "limits are set for each organization, team, member and key",
    default_team_params: "limits are set for each organization, team, member and key",
    default_key_generate_params: "limits are set for each organization, team, member and key",
    upperbound_key_generate_params: "the limits and models of a team hold for all of its keys, whatever theirs are",
    key_generation_settings: "roles in a team say who may make keys",
    guardrails: "write them into the list `guardrails` at the top level",
  },
  concealing: {
    turn_off_message_logging: "requests and answers are kept only for organizations that choose it in their settings",
  },
});
