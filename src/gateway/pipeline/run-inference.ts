import type { Operation } from "../../contract/params.ts";
import { carryOut } from "../attempts/execute.ts";
import { throughCache } from "../cache/lookup.ts";
import { Company } from "../call/call-hooks.ts";
import { readWishes } from "../call/call-options.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { Errand } from "../call/prepared-request.ts";
import { Guarding } from "../guardrails/call-guardrails.ts";
import { measurePrompt, NOTHING_UPLOADED, type Uploaded } from "../metering/prompt-size.ts";
import { checkOwnFallbacks } from "./authorize-fallbacks.ts";
import { resolveForCaller } from "./authorize-model.ts";
import { actForEndUser, letIn } from "./enforce-limits.ts";
import { requireEndUser } from "./require-end-user.ts";
import { refuseOtherKind } from "./require-operation.ts";
import { refuseUnserved } from "./unsupported-options.ts";

/**
 * The way of every inference call: who may call what, then a deployment is chosen, the estimate set aside, the call written
 * down, and only then sent. Whatever `work` throws is tried elsewhere or ends the call in the books; what it answers has
 * ended there, or ends with its last byte.
 */
export function metered(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: Operation,
  request: Fields,
  work: Errand["work"],
  uploaded: Uploaded = NOTHING_UPLOADED,
): Promise<Response> {
  const catalog = deps.catalog();
  const deployments = resolveForCaller(catalog, call.caller, call.model);
  refuseOtherKind(operation, deployments, call.model);
  checkOwnFallbacks(deps, call, request);
  refuseUnserved(call, request);
  if (deps.settings().requireEndUser) requireEndUser(call, request);
  const errand: Errand = {
    operation,
    request,
    wishes: readWishes(call, request),
    measure: measurePrompt(operation, request, uploaded),
    uploaded,
    group: deployments[0]?.group ?? call.model,
    deployments,
    catalog,
    work,
    company: new Company(),
  };
  const known = deps.endUsers.concern(call.caller, call.receivedAtMs) ? actForEndUser(deps, call, errand) : null;
  return known ? beginAfter(known, deps, call, errand) : begin(deps, call, errand);
}

// What waits, and what captures anything, is a function of its own: most calls pass without, and that is 1 µs for each.

async function beginAfter(
  known: Promise<void>,
  deps: GatewayDeps,
  call: InferenceCall,
  errand: Errand,
): Promise<Response> {
  await known;
  return begin(deps, call, errand);
}

function begin(deps: GatewayDeps, call: InferenceCall, errand: Errand): Promise<Response> {
  const guarding = Guarding.of(deps, call, errand);
  const entering = deps.limits.applyTo(call.caller) ? letIn(deps, call, errand) : null;
  return entering ? enter(entering, deps, call, errand, guarding) : goOn(deps, call, errand, guarding);
}

async function enter(
  entering: Promise<void>,
  deps: GatewayDeps,
  call: InferenceCall,
  errand: Errand,
  guarding: Guarding | null,
): Promise<Response> {
  await entering;
  return goOn(deps, call, errand, guarding);
}

/** Past its guardrails. Whatever is thrown before the call is on its way is told to all who go along with it. */
function goOn(deps: GatewayDeps, call: InferenceCall, errand: Errand, guarding: Guarding | null): Promise<Response> {
  try {
    const looked = guarding ? guarding.look() : errand;
    if (looked instanceof Promise) return wait(looked, deps, call, errand, guarding);
    return send(deps, call, looked, guarding);
  } catch (thrown) {
    return fail(errand, thrown);
  }
}

async function wait(
  looked: Promise<Errand>,
  deps: GatewayDeps,
  call: InferenceCall,
  errand: Errand,
  guarding: Guarding | null,
): Promise<Response> {
  try {
    return send(deps, call, await looked, guarding);
  } catch (thrown) {
    return fail(errand, thrown);
  }
}

async function fail({ company }: Errand, thrown: unknown): Promise<never> {
  throw await company.failureFor(thrown);
}

/** An answer that guardrails look at is made for this call alone. */
const send = (deps: GatewayDeps, call: InferenceCall, errand: Errand, guarding: Guarding | null): Promise<Response> =>
  deps.cache.on && !guarding?.looksAtAnswer
    ? throughCache(deps, call, errand, guarding?.guards ?? null)
    : carryOut(deps, call, errand);
