import type { Config } from "../config/config.ts";
import { MASKED } from "../contract/deployment.ts";
import { formatUsd } from "../contract/money.ts";
import { publicAddress } from "../contract/public-address.ts";
import type { SettingsView } from "../routes/admin/settings.ts";
import { READ_ONCE } from "./restart-only.ts";

/** Settings that a reload takes over. Written out: a new setting is not shown before somebody has thought about it. */
const TAKEN_OVER: Readonly<Record<string, (config: Config) => unknown>> = {
  "general_settings.hosted": (config) => config.keys.hosted,
  "general_settings.demo": (config) => config.demo,
  "general_settings.admin_email": (config) => config.admin.email,
  "general_settings.admin_password": (config) => config.admin.password,
  "general_settings.allowed_ips": (config) => config.server.allowedIps,
  "general_settings.max_request_memory_mb": (config) => config.server.bodies.totalBytesMax,
  "general_settings.max_request_memory_per_key_mb": (config) => config.server.bodies.callerBytesMax,
  "general_settings.max_request_memory_per_address_mb": (config) => config.server.bodies.addressBytesMax,
  "general_settings.request_body_timeout": (config) => config.server.bodies.timeoutMs,
  "general_settings.enforce_user_param": (config) => config.limits.requireEndUser,
  "general_settings.max_realtime_session": (config) => (config.limits.realtimeSessionMs ?? 0) / 1000,
  "general_settings.allow_signup": (config) => config.accounts.allowSignUp,
  "general_settings.organizations_per_user": (config) => config.accounts.organizationsPerUser,
  "general_settings.create_unknown_users": (config) => config.accounts.createUnknownUsers,
  "general_settings.markup_percent": (config) => config.billing.markupPercent,
  "general_settings.background_health_checks": (config) => config.healthChecks.scope,
  "general_settings.keep_free_mb": (config) => config.files.keepFreeMb,
  "general_settings.storage_quota_mb": (config) => config.files.quotaBytes,
  "general_settings.file_search_model": (config) => config.files.embeddingModel,
  "general_settings.moderation_model": (config) => config.answers.moderationModel,
  "general_settings.store_model_in_db": (config) => config.storeModels,
  "general_settings.always_include_stream_usage": (config) => config.answers.alwaysIncludeUsage,
  "litellm_settings.enable_json_schema_validation": (config) => config.answers.validateJsonSchema,
  "litellm_settings.drop_params": (config) => config.router.dropParams,
  "litellm_settings.model_alias_map": (config) => config.router.modelAliases,
  "litellm_settings.request_timeout": (config) => config.router.timeoutMs / 1000,
  "router_settings.model_group_alias": (config) => config.groupAliases,
  "router_settings.fallbacks": (config) => config.router.fallbacks,
  "router_settings.context_window_fallbacks": (config) => config.router.contextWindowFallbacks,
  "router_settings.content_policy_fallbacks": (config) => config.router.contentPolicyFallbacks,
  "router_settings.default_fallbacks": (config) => config.router.defaultFallbacks,
  "router_settings.num_retries": (config) => config.router.numRetries,
  "router_settings.provider_budget_config": ({ router }) => budgetsShown(router.providerBudgets),
  "router_settings.tag_budget_config": ({ router }) => budgetsShown(router.tagBudgets),
  "router_settings.routing_strategy": (config) => config.router.routingStrategy,
  guardrails: (config) => config.guardrails.map(({ name, kind, modes }) => ({ name, kind, modes })),
  environment_variables: (config) => Object.keys(config.environment),
  credential_list: (config) => Object.keys(config.credentials),
  model_list: (config) => config.deployments.map(({ id, group }) => ({ id, name: group })),
};

const budgetsShown = (budgets: Config["router"]["providerBudgets"]) =>
  Object.fromEntries(
    Object.entries(budgets).map(([name, { limit, period }]) => [
      name,
      { budget_limit: Number(formatUsd(limit)), time_period: period },
    ]),
  );

const SECRET = /(^|[._])(secret|password|master_key|smtp|smtp_url|files_bucket)$/;
const ADDRESS = /_url$/;

export function describeSettings(config: Config): SettingsView {
  const rows = (table: typeof READ_ONCE, needsRestart: boolean) =>
    Object.entries(table).map(([name, read]) => [name, { value: shown(name, read(config)), needsRestart }] as const);
  return Object.fromEntries([...rows(READ_ONCE, true), ...rows(TAKEN_OVER, false)]);
}

/** What the file counts in other units than the program does. */
const PER_UNIT: Readonly<Record<string, number>> = {
  "general_settings.max_request_size_mb": 1024 * 1024,
  "general_settings.max_file_size_mb": 1024 * 1024,
  "general_settings.storage_quota_mb": 1024 * 1024,
  "general_settings.max_request_memory_mb": 1024 * 1024,
  "general_settings.max_request_memory_per_key_mb": 1024 * 1024,
  "general_settings.max_request_memory_per_address_mb": 1024 * 1024,
  "general_settings.request_body_timeout": 1000,
  "general_settings.drain_timeout": 1000,
  "general_settings.database_connection_timeout": 1000,
  "litellm_settings.cache_params.max_size_mb": 1024 * 1024,
};

function shown(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return value / (PER_UNIT[name] ?? 1);
  if (SECRET.test(name)) return MASKED;
  if (name === "general_settings.billing") return withoutSecrets(value as Config["payments"]);
  return ADDRESS.test(name) && typeof value === "string" ? publicAddress(value) : value;
}

/** Which provider takes the money is no secret; the keys to it are. */
const withoutSecrets = ({ stripe, ...rest }: Config["payments"]) => ({
  ...rest,
  stripe: stripe && {
    secretKey: MASKED,
    webhookSecrets: stripe.webhookSecrets.map(() => MASKED),
    apiBase: stripe.apiBase && publicAddress(stripe.apiBase),
  },
});
