import { readMarkup } from "../catalog/own-prices.ts";
import type { Config } from "../config/config.ts";
import type { GatewaySettings } from "../gateway/call/gateway.ts";
import { fallbackTables } from "./fallback-tables.ts";

/** A stream that says nothing for this long is not coming back. */
const STREAM_TIMEOUT_MS = 60_000;

const made = new WeakMap<Config, GatewaySettings>();

/** What the gateway needs of the configuration; made once for each one that is loaded. */
export function gatewaySettings(config: Config): GatewaySettings {
  const known = made.get(config);
  if (known) return known;
  const { router } = config;
  const settings: GatewaySettings = {
    timeoutMs: router.timeoutMs,
    streamTimeoutMs: router.streamTimeoutMs ?? STREAM_TIMEOUT_MS,
    dropParams: router.dropParams,
    validateJsonSchema: config.answers.validateJsonSchema,
    alwaysIncludeUsage: config.answers.alwaysIncludeUsage,
    moderationModel: config.answers.moderationModel,
    requireEndUser: config.limits.requireEndUser,
    realtimeSessionMs: config.limits.realtimeSessionMs,
    markupBp: readMarkup({ markup_percent: config.billing.markupPercent }) ?? 0n,
    outputEstimateMax: config.billing.outputEstimateMax,
    unpricedModels: config.billing.unpricedModels,
    retries: {
      numRetries: router.numRetries,
      retryAfterMs: router.retryAfterMs,
      policy: router.retryPolicy,
      groupPolicies: router.groupRetryPolicy,
    },
    fallbacks: fallbackTables(router),
    maxFallbacks: router.maxFallbacks,
    midStreamFallbacks: router.midStreamFallbacks,
  };
  made.set(config, settings);
  return settings;
}
