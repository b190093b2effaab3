import { readMarkup } from "../catalog/own-prices.ts";
import type { Config } from "../config/config.ts";
import type { GatewaySettings } from "../gateway/deps.ts";

/** A stream that says nothing for this long is not coming back. */
const STREAM_TIMEOUT_MS = 60_000;

const made = new WeakMap<Config, GatewaySettings>();

/** What the gateway needs of the configuration; made once for each one that is loaded. */
export function gatewaySettings(config: Config): GatewaySettings {
  const known = made.get(config);
  if (known) return known;
  const settings: GatewaySettings = {
    timeoutMs: config.router.timeoutMs,
    streamTimeoutMs: config.router.streamTimeoutMs ?? STREAM_TIMEOUT_MS,
    dropParams: config.router.dropParams,
    validateJsonSchema: config.answers.validateJsonSchema,
    alwaysIncludeUsage: config.answers.alwaysIncludeUsage,
    markupBp: readMarkup({ markup_percent: config.billing.markupPercent }) ?? 0n,
    outputEstimateMax: config.billing.outputEstimateMax,
  };
  made.set(config, settings);
  return settings;
}
