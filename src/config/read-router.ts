import type { GroupAlias } from "./config.ts";
import { CallableNames, readFallbacks, readTargets } from "./fallbacks.ts";
import { readAliases, readModelAliases } from "./read-aliases.ts";
import { readBalancing } from "./read-balancing.ts";
import { readProviderBudgets, readTagBudgets } from "./read-budgets.ts";
import { readErrorPolicy, readGroupPolicies } from "./read-policy.ts";
import type { FallbackTable, RouterConfig } from "./router-config.ts";
import type { Section } from "./section.ts";
import { tellOverruled } from "./tell-overruled.ts";

export interface Routing {
  readonly router: RouterConfig;
  readonly groupAliases: Readonly<Record<string, GroupAlias>>;
}

/** `groups` are the names and ids that can be called. `router_settings` wins over the same name in `litellm_settings`. */
export function readRouting(
  router: Section,
  gateway: Section,
  groups: readonly string[],
  upstreamModels: readonly string[],
): Routing {
  const groupAliases = readAliases(router, new CallableNames(groups));
  const modelAliases = readModelAliases(gateway, new CallableNames([...groups, ...Object.keys(groupAliases)]));
  const called = [...groups, ...Object.keys(groupAliases), ...Object.keys(modelAliases)];
  const names = new CallableNames(called);
  const known = [...called, ...upstreamModels];
  const keys = new CallableNames([...known, ...known.map(withoutProvider)]);
  for (const key of LISTS) {
    const holds = router.field(key);
    if (holds !== null) tellOverruled(gateway, key, holds.path, key === "tag_budget_config");
  }
  return {
    groupAliases,
    router: {
      ...readTries(router, gateway, names),
      ...readFallbackTables(router, gateway, names, keys),
      ...readCooldown(router, gateway),
      ...readBalancing(router, names),
      providerBudgets: readProviderBudgets(router),
      tagBudgets: readTagBudgets(router, gateway),
      dropParams: gateway.boolean("drop_params") ?? false,
      modelAliases,
    },
  };
}

function readTries(router: Section, gateway: Section, names: CallableNames) {
  const fromGateway = { retries: gateway.number("num_retries", COUNT), timeout: timeLimit(gateway, "request_timeout") };
  const streamTimeout = timeLimit(router, "stream_timeout");
  return {
    numRetries: router.number("num_retries", COUNT) ?? fromGateway.retries ?? 2,
    retryAfterMs: milliseconds(router.number("retry_after", SECONDS) ?? 0),
    timeoutMs: milliseconds(timeLimit(router, "timeout") ?? fromGateway.timeout ?? 600),
    streamTimeoutMs: streamTimeout === null ? null : milliseconds(streamTimeout),
    retryPolicy: readErrorPolicy(router, "retry_policy", "Retries"),
    groupRetryPolicy: readGroupPolicies(router, "model_group_retry_policy", "Retries", names),
  };
}

function readFallbackTables(router: Section, gateway: Section, names: CallableNames, keys: CallableNames) {
  const table = (key: string): FallbackTable => {
    const fromGateway = readFallbacks(gateway, key, names, keys);
    return readFallbacks(router, key, names, keys) ?? fromGateway ?? {};
  };
  const targets = (section: Section) => {
    const field = section.field("default_fallbacks");
    return field === null ? null : readTargets(section, field.node, field.path, names);
  };
  return {
    fallbacks: table("fallbacks"),
    contextWindowFallbacks: table("context_window_fallbacks"),
    contentPolicyFallbacks: table("content_policy_fallbacks"),
    defaultFallbacks: targets(router) ?? targets(gateway) ?? [],
    maxFallbacks: router.number("max_fallbacks", COUNT) ?? 5,
    midStreamFallbacks: router.boolean("enable_mid_stream_fallbacks") ?? false,
  };
}

function readCooldown(router: Section, gateway: Section) {
  const fromGateway = {
    fails: gateway.number("allowed_fails", COUNT),
    seconds: gateway.number("cooldown_time", SECONDS),
  };
  return {
    allowedFails: router.number("allowed_fails", COUNT) ?? fromGateway.fails,
    allowedFailsPolicy: readErrorPolicy(router, "allowed_fails_policy", "AllowedFails"),
    cooldownSeconds: router.number("cooldown_time", SECONDS) ?? fromGateway.seconds ?? 5,
    disableCooldowns: router.boolean("disable_cooldowns") ?? false,
  };
}

/** They are not joined where two sections have them. */
const LISTS = [
  "fallbacks",
  "context_window_fallbacks",
  "content_policy_fallbacks",
  "default_fallbacks",
  "tag_budget_config",
] as const;
/** A list for a name without its provider is also used for the name with it. */
const withoutProvider = (name: string): string => name.slice(name.indexOf("/") + 1);

const COUNT = { integer: true } as const;
const SECONDS = { unit: "seconds" } as const;

/** 0 means not set, as it does at a deployment and in requests: else every call would be too late. */
function timeLimit(section: Section, key: string): number | null {
  return section.number(key, SECONDS) || null;
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}
