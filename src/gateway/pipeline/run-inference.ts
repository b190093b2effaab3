import type { Operation } from "../../contract/params.ts";
import { executeWithFallbacks } from "../attempts/execute.ts";
import { serveFromCache } from "../cache/lookup.ts";
import { CallHooks } from "../call/call-hooks.ts";
import { parseCallOptions } from "../call/call-options.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import { CallGuardrails } from "../guardrails/call-guardrails.ts";
import { measurePrompt, NOTHING_UPLOADED, type Uploaded } from "../metering/prompt-size.ts";
import { authorizeFallbacks } from "./authorize-fallbacks.ts";
import { resolveForCaller } from "./authorize-model.ts";
import { applyEndUser, enforceLimits } from "./enforce-limits.ts";
import { requireEndUser } from "./require-end-user.ts";
import { requireOperation } from "./require-operation.ts";
import { rejectUnsupportedOptions } from "./unsupported-options.ts";

/**
 * The way of every inference call: who may call what, then a deployment is chosen, the estimate set aside, the call written
 * down, and only then sent. Whatever `work` throws is tried elsewhere or ends the call in the books; what it answers has
 * ended there, or ends with its last byte.
 */
export function runInference(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  request: Fields,
  work: PreparedRequest["work"],
  uploaded: Uploaded = NOTHING_UPLOADED,
): Promise<Response> {
  const catalog = deps.catalog();
  const deployments = resolveForCaller(catalog, call.caller, call.model);
  requireOperation(operation, deployments, call.model);
  authorizeFallbacks(deps, call, request);
  rejectUnsupportedOptions(call, request);
  if (deps.settings().requireEndUser) requireEndUser(call, request);
  const prepared: PreparedRequest = {
    operation,
    request,
    options: parseCallOptions(call, request),
    measure: measurePrompt(operation, request, uploaded),
    uploaded,
    group: deployments[0]?.group ?? call.model,
    deployments,
    catalog,
    work,
    hooks: new CallHooks(),
  };
  const known = deps.endUsers.concern(call.caller, call.receivedAtMs) ? applyEndUser(deps, call, prepared) : null;
  return known ? beginAfter(known, deps, call, prepared) : begin(deps, call, prepared);
}

// What waits, and what captures anything, is a function of its own: most calls pass without, and that is 1 µs for each.

async function beginAfter(
  known: Promise<void>,
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
): Promise<Response> {
  await known;
  return begin(deps, call, prepared);
}

function begin(deps: GatewayDeps, call: InferenceCall, prepared: PreparedRequest): Promise<Response> {
  const guardrails = CallGuardrails.of(deps, call, prepared);
  const entering = deps.limits.applyTo(call.caller) ? enforceLimits(deps, call, prepared) : null;
  return entering ? enter(entering, deps, call, prepared, guardrails) : proceed(deps, call, prepared, guardrails);
}

async function enter(
  entering: Promise<void>,
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
  guardrails: CallGuardrails | null,
): Promise<Response> {
  await entering;
  return proceed(deps, call, prepared, guardrails);
}

/** Past its guardrails. Whatever is thrown before the call is on its way is told to all who go along with it. */
function proceed(
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
  guardrails: CallGuardrails | null,
): Promise<Response> {
  try {
    const looked = guardrails ? guardrails.look() : prepared;
    if (looked instanceof Promise) return wait(looked, deps, call, prepared, guardrails);
    return send(deps, call, looked, guardrails);
  } catch (thrown) {
    return fail(prepared, thrown);
  }
}

async function wait(
  looked: Promise<PreparedRequest>,
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
  guardrails: CallGuardrails | null,
): Promise<Response> {
  try {
    return send(deps, call, await looked, guardrails);
  } catch (thrown) {
    return fail(prepared, thrown);
  }
}

async function fail({ hooks }: PreparedRequest, thrown: unknown): Promise<never> {
  throw await hooks.failureFor(thrown);
}

/** An answer that guardrails look at is made for this call alone. */
const send = (
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
  guardrails: CallGuardrails | null,
): Promise<Response> =>
  deps.cache.on && !guardrails?.checksResponse
    ? serveFromCache(deps, call, prepared, guardrails?.guards ?? null)
    : executeWithFallbacks(deps, call, prepared);
