import { keyTable } from "./key-table.ts";
import LITELLM from "./litellm-names.json" with { type: "json" };

export const ROUTER_SETTINGS = keyTable({
  litellm: LITELLM.router_settings,
  served: `
    timeout stream_timeout model_group_alias num_retries retry_after retry_policy model_group_retry_policy
    fallbacks context_window_fallbacks content_policy_fallbacks default_fallbacks max_fallbacks enable_mid_stream_fallbacks
    routing_strategy routing_strategy_args routing_groups
    allowed_fails allowed_fails_policy cooldown_time disable_cooldowns
    enable_pre_call_checks enable_tag_filtering tag_filtering_match_any optional_pre_call_checks
    provider_budget_config tag_budget_config model_group_limits
    redis_url redis_host redis_port redis_password redis_db`,
  known: `
    enable_pre_call_check default_litellm_params default_priority polling_interval cache_responses cache_kwargs
    caching_groups client_ttl set_verbose debug_level alerting_config router_general_settings
    ignore_invalid_deployments deployment_affinity_ttl_seconds assistants_config search_tools`,
  protecting: {
    default_max_parallel_requests: "`general_settings.max_parallel_requests` does the same",
    guardrail_list: "write them into the list `guardrails` at the top level",
  },
});
