import type { ErrorPolicy, PolicyError } from "../../config/router-config.ts";
import type { ErrorKind, GatewayError } from "../../contract/errors.ts";
import { readRetryAfter } from "../../lib/retry-after.ts";

/** What the configuration says about trying again. */
export interface RetryRules {
  readonly numRetries: number;
  /** The least time between two tries at the same place. */
  readonly retryAfterMs: number;
  readonly policy: ErrorPolicy;
  readonly groupPolicies: Readonly<Record<string, ErrorPolicy>>;
}

/** The name under which a policy speaks of a kind. */
const POLICY_NAMES: Readonly<Partial<Record<ErrorKind, PolicyError>>> = {
  invalid_request: "BadRequestError",
  unsupported_params: "BadRequestError",
  context_window: "BadRequestError",
  upstream_authentication: "AuthenticationError",
  timeout: "TimeoutError",
  rate_limit: "RateLimitError",
  content_policy: "ContentPolicyViolationError",
  upstream: "InternalServerError",
  upstream_unavailable: "InternalServerError",
  connection: "InternalServerError",
};

/** What may go better the next time, or elsewhere. */
const TRANSIENT: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "timeout",
  "rate_limit",
  "upstream",
  "upstream_unavailable",
  "connection",
]);

/** What is wrong with one deployment and not with the others of its group. */
const ITS_OWN: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "upstream_authentication",
  "model_not_found",
  "price_unknown",
]);

/** Whether the failure says nothing about the request, so that another group may answer it. */
export const isRetryable = (kind: ErrorKind): boolean => TRANSIENT.has(kind) || ITS_OWN.has(kind);

/** Whether a deployment that has not been tried may do better, and only that. */
export const isDeploymentError = (kind: ErrorKind): boolean => ITS_OWN.has(kind);

/** How often a call that failed in this way is tried again in its group, which is known by what it is called and by its own name. */
export function retriesFor(
  rules: RetryRules,
  [called, group]: readonly [string, string],
  kind: ErrorKind,
  asked: number | null,
): number {
  const name = POLICY_NAMES[kind];
  const policy = policyOf(rules.groupPolicies, called) ?? policyOf(rules.groupPolicies, group);
  const ruled = name && (policy?.[name] ?? rules.policy[name]);
  if (ruled !== undefined) return ruled;
  return isRetryable(kind) ? (asked ?? rules.numRetries) : 0;
}

const policyOf = (policies: RetryRules["groupPolicies"], group: string): ErrorPolicy | undefined =>
  Object.hasOwn(policies, group) ? policies[group] : undefined;

const BASE_MS = 500;
const BACK_OFF_MAX_MS = 5_000;

/**
 * How long to wait before the same place is tried again: as long as it says itself, else anything up to a bound that
 * doubles from try to try, so that callers who failed together do not come back together. Null: it asks for so long that
 * the caller had better be told.
 */
export function backOff(rules: RetryRules, retry: number, toldMs: number | null, random: number): number | null {
  if (toldMs !== null && toldMs > BACK_OFF_MAX_MS) return null;
  const spread = random * Math.min(BACK_OFF_MAX_MS, BASE_MS * 2 ** retry);
  return Math.max(rules.retryAfterMs, toldMs ?? 0) + spread;
}

/** What a failing upstream says about when to come back, in milliseconds. */
export function retryAfterOf({ headers }: GatewayError, nowMs: number): number | null {
  const millis = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(millis) && millis >= 0) return millis;
  return readRetryAfter(headers["retry-after"], nowMs);
}
