import type { ErrorPolicy, PolicyError } from "../../config/router-config.ts";
import type { ErrorKind } from "../../contract/errors.ts";

export interface BreakerSettings {
  readonly cooldownSeconds: number;
  readonly allowedFails: number | null;
  readonly allowedFailsPolicy: ErrorPolicy;
  readonly disableCooldowns: boolean;
}

/** What speaks against a deployment. Everything else is the caller's doing, or ours, and never counts. */
const DEPLOYMENT_FAULTS: ReadonlySet<ErrorKind> = new Set([
  "timeout",
  "rate_limit",
  "upstream",
  "upstream_authentication",
  "upstream_unavailable",
  "connection",
  "not_found",
  "model_not_found",
]);

/** Answers that will not change by themselves: a wrong key, a model that is not there. */
export const UPSTREAM_REFUSES: ReadonlySet<ErrorKind> = new Set([
  "upstream_authentication",
  "not_found",
  "model_not_found",
]);

const POLICY_NAMES: Readonly<Partial<Record<ErrorKind, PolicyError>>> = {
  timeout: "TimeoutError",
  rate_limit: "RateLimitError",
  upstream_authentication: "AuthenticationError",
  upstream: "InternalServerError",
  upstream_unavailable: "InternalServerError",
  connection: "InternalServerError",
};

export const isDeploymentFault = (kind: ErrorKind): boolean => DEPLOYMENT_FAULTS.has(kind);

/** How many failures of a kind within a minute are borne; null: the rules that hold where nothing is configured. */
export function allowedFails(kind: ErrorKind, settings: BreakerSettings): number | null {
  const name = POLICY_NAMES[kind];
  return (name === undefined ? undefined : settings.allowedFailsPolicy[name]) ?? settings.allowedFails;
}
