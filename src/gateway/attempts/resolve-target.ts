import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { Provider, Target } from "../../providers/dialect.ts";
import { providerOf } from "../../providers/registry.ts";
import { type CallOptions, parseCallOptions } from "../call/call-options.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { resolveForCaller } from "../pipeline/authorize-model.ts";
import { type CallerCredentials, callerCredentials, NO_OVERRIDE } from "./client-credentials.ts";
import { pickDeployment } from "./pick.ts";
import { prepareFields } from "./prepare-fields.ts";
import { droppedOf } from "./translation.ts";

/** A call with everything decided: where it goes, as whom, and with which fields. */
export interface ResolvedTarget {
  /** What answers call the model: the caller's own name for it, or the group that stood in. */
  readonly model: string;
  /** What was tried before: at the group that was asked for, and groups that stood in for others. */
  readonly retries: number;
  readonly fallbacks: number;
  readonly deployment: Deployment;
  readonly provider: Provider;
  readonly endpoint: Target;
  /** The request's fields as the provider gets to see them. */
  readonly fields: Fields;
  /** The caller named the address: it is dialled only if it is public. */
  readonly guarded: boolean;
  readonly timeoutMs: number;
  /** For the first byte of a stream and for each pause in it. */
  readonly streamTimeoutMs: number;
  /** The same where callers say nothing: how long the deployment itself is waited for. */
  readonly usual: { readonly timeoutMs: number; readonly streamTimeoutMs: number };
  /** The caller brought the key, or the address as well. */
  readonly hasOwnAccess: boolean;
}

/**
 * Who may call what, where it would go, and what of the request would go along: for what is not sent as a call. `among` has a
 * say in where.
 */
export function resolveForDryRun(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  request: Fields,
  among: (all: readonly Deployment[]) => readonly Deployment[] = (all) => all,
): ResolvedTarget {
  const deployments = among(resolveForCaller(deps.catalog(), call.caller, call.model));
  const deployment = pickDeployment(deployments, deps.random());
  if (!deployment) throw new GatewayError("model_not_found", `The model \`${call.model}\` has no deployment.`);
  const asked = { operation, request, options: parseCallOptions(call, request) };
  return resolveTarget(deps, call, asked, deployment, { model: call.model, retries: 0, fallbacks: 0 });
}

/** What is asked, and how it is to be done. */
export interface TargetRequest {
  readonly operation: Operation;
  readonly request: Fields;
  readonly options: CallOptions;
}

/** A call at one deployment: as whom it goes there, and what of the request goes along. */
export function resolveTarget(
  deps: GatewayDeps,
  call: InferenceCall,
  { operation, request, options }: TargetRequest,
  deployment: Deployment,
  place: Pick<ResolvedTarget, "model" | "retries" | "fallbacks">,
): ResolvedTarget {
  const provider = providerOf(deployment);
  if (!provider) {
    throw new GatewayError("invalid_request", `The provider \`${deployment.provider}\` of this model is not served.`);
  }
  const own = callerCredentials(request, deployment);
  const endpoint: Target = own.guarded
    ? strangersTarget(deployment, own.override)
    : own.override === NO_OVERRIDE
      ? ownTarget(deployment, deps.env)
      : { ...deployment, ...own.override, env: deps.env };
  const settings = deps.settings();
  const usual = {
    timeoutMs: Math.min(
      seconds(deployment.params.timeout) ?? settings.timeoutMs,
      call.slowMs ?? Number.POSITIVE_INFINITY,
    ),
    streamTimeoutMs: seconds(deployment.params.stream_timeout) ?? settings.streamTimeoutMs,
  };
  const dropParams = request.drop_params ?? deployment.params.drop_params ?? settings.dropParams;
  const fields = prepareFields(operation, request, deployment, provider, dropParams === true);
  logDropped(deps, deployment, droppedOf(fields));
  return {
    ...place,
    deployment,
    provider,
    endpoint,
    fields,
    guarded: own.guarded,
    hasOwnAccess: own.override !== NO_OVERRIDE,
    streamTimeoutMs: options.streamTimeoutMs ?? usual.streamTimeoutMs,
    timeoutMs: timeLeftMs(deps, call, options) ?? usual.timeoutMs,
    usual,
  };
}

/** Names that were logged for a deployment: coding agents send the same fields with every call. */
const logged = new WeakMap<Deployment, Set<string>>();

function logDropped({ log }: GatewayDeps, deployment: Deployment, dropped: readonly string[]): void {
  if (dropped.length === 0) return;
  const known = logged.get(deployment) ?? new Set();
  const fields = dropped.filter((name) => !known.has(name) && known.size < LOGGED_NAMES_MAX);
  if (fields.length === 0) return;
  logged.set(deployment, new Set([...known, ...fields]));
  const { id, group } = deployment;
  log.info({ deploymentId: id, model: group, fields }, "dropped fields that the provider does not accept");
}

const LOGGED_NAMES_MAX = 100;

/** What a caller waits for begins with its request: guardrails, the cache and tries that failed are a part of it. */
function timeLeftMs({ clock }: GatewayDeps, call: InferenceCall, { timeoutMs }: CallOptions): number | null {
  return timeoutMs === null ? null : Math.max(1, timeoutMs - (clock.monotonicMs() - call.receivedAtMs));
}

/** Where most calls go: the same for all of them, so it is made once. */
const targets = new WeakMap<Deployment, Target>();

function ownTarget(deployment: Deployment, env: Target["env"]): Target {
  const known = targets.get(deployment);
  if (known && known.env === env) return known;
  const made = { ...deployment, env };
  targets.set(deployment, made);
  return made;
}

/** For an address that the caller named: nothing of the operator's goes there, no key, no variable, no parameter. */
const strangersTarget = (deployment: Deployment, override: CallerCredentials["override"]): Target => ({
  provider: deployment.provider,
  upstreamModel: deployment.upstreamModel,
  apiBase: null,
  apiKey: null,
  apiVersion: deployment.apiVersion,
  ...override,
  params: {},
  env: () => undefined,
});

const seconds = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value * 1000 : null);
