import type { TimedWindow } from "../contract/duration.ts";

export const ROUTING_STRATEGIES = [
  "simple-shuffle",
  "least-busy",
  "usage-based-routing",
  "usage-based-routing-v2",
  "latency-based-routing",
  "cost-based-routing",
  "peak-latency",
] as const;
export type RoutingStrategy = (typeof ROUTING_STRATEGIES)[number];

/** The errors that a policy can name, as they begin in `TimeoutErrorRetries` or `TimeoutErrorAllowedFails`. */
export const POLICY_ERRORS = [
  "BadRequestError",
  "AuthenticationError",
  "TimeoutError",
  "RateLimitError",
  "ContentPolicyViolationError",
  "InternalServerError",
] as const;
export type PolicyError = (typeof POLICY_ERRORS)[number];

/** How often, per error; an error that is not named has no rule of its own. */
export type ErrorPolicy = Readonly<Partial<Record<PolicyError, number>>>;

/** Group -> the groups to try after it, in order; the key `*` stands for any group. Empty: none configured. */
export type FallbackTable = Readonly<Record<string, readonly string[]>>;

/** How one of several deployments is chosen. */
export interface RoutingRule {
  readonly strategy: RoutingStrategy;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface GroupRouting extends RoutingRule {
  /** The groups that it holds for. */
  readonly models: readonly string[];
}

/** What may be spent at a provider, at one deployment or under a tag, in one window of UTC. */
export interface UpstreamBudgetTerms {
  /** In nano-USD, as the provider charges. */
  readonly limit: bigint;
  /** As it was written, such as `24h`. */
  readonly period: string;
  readonly window: TimedWindow;
}

export interface RouterConfig {
  /** `null`: none is configured, and each group has what suits its size. */
  readonly routingStrategy: RoutingStrategy | null;
  readonly routingStrategyArgs: Readonly<Record<string, unknown>>;
  /** `routing_groups`: groups with a strategy of their own. */
  readonly routingGroups: readonly GroupRouting[];
  readonly numRetries: number;
  readonly retryAfterMs: number;
  readonly timeoutMs: number;
  /** `null`: streams have `timeoutMs` too. */
  readonly streamTimeoutMs: number | null;
  readonly fallbacks: FallbackTable;
  readonly contextWindowFallbacks: FallbackTable;
  readonly contentPolicyFallbacks: FallbackTable;
  readonly defaultFallbacks: readonly string[];
  readonly maxFallbacks: number;
  /** A stream that breaks off after its first byte goes on elsewhere, and says so. */
  readonly midStreamFallbacks: boolean;
  /** `null`: the rules by status and failure share apply. */
  readonly allowedFails: number | null;
  readonly allowedFailsPolicy: ErrorPolicy;
  readonly cooldownSeconds: number;
  readonly disableCooldowns: boolean;
  readonly retryPolicy: ErrorPolicy;
  readonly groupRetryPolicy: Readonly<Record<string, ErrorPolicy>>;
  readonly preCallChecks: boolean;
  /** Calls of one session, or with the same beginning, go to the same deployment while it is well. */
  readonly sessionAffinity: boolean;
  readonly promptAffinity: boolean;
  readonly tagFiltering: boolean;
  /** Whether one common tag is enough, or all of the caller's must be there. */
  readonly tagMatchAny: boolean;
  /** `provider_budget_config`: by the id of the provider. */
  readonly providerBudgets: Readonly<Record<string, UpstreamBudgetTerms>>;
  /** `tag_budget_config`: by the tag. */
  readonly tagBudgets: Readonly<Record<string, UpstreamBudgetTerms>>;
  /** Leave out parameters that a model does not know, rather than refuse the call. */
  readonly dropParams: boolean;
  /** `model_alias_map`: names that are replaced before anything else is looked up. */
  readonly modelAliases: Readonly<Record<string, string>>;
}
