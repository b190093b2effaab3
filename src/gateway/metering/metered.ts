import type { Operation } from "../../contract/params.ts";
import { carryOut } from "../attempts/carry-out.ts";
import { Company } from "../attempts/company.ts";
import type { Errand } from "../attempts/errand.ts";
import { throughCache } from "../cache/through-cache.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { Guarding } from "../guarding/guarding.ts";
import { letIn } from "../limits/let-in.ts";
import { resolveForCaller } from "../model-access.ts";
import { checkOwnFallbacks } from "../own-fallbacks.ts";
import { measurePrompt } from "./prompt-measure.ts";

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
  fileBytes = 0,
): Promise<Response> {
  const deployments = resolveForCaller(deps.catalog(), call.caller, call.model);
  checkOwnFallbacks(deps, call, request);
  const errand: Errand = {
    operation,
    request,
    measure: measurePrompt(operation, request),
    fileBytes,
    group: deployments[0]?.group ?? call.model,
    deployments,
    work,
    company: new Company(),
  };
  const guarding = Guarding.of(deps, call, errand);
  const isLimited = deps.limits.applyTo(call.caller);
  return guarding || isLimited || deps.cache.on
    ? accompanied(deps, call, errand, guarding, isLimited)
    : carryOut(deps, call, errand);
}

/** The way through the limits of the caller, past guardrails, and to the cache. */
async function accompanied(
  deps: GatewayDeps,
  call: InferenceCall,
  errand: Errand,
  guarding: Guarding | null,
  isLimited: boolean,
): Promise<Response> {
  if (isLimited) {
    const entering = letIn(deps, call, errand);
    if (entering) await entering;
  }
  try {
    const looked = guarding ? guarding.look() : errand;
    const sent = looked instanceof Promise ? await looked : looked;
    // An answer that guardrails look at is made for this call alone.
    const isCached = deps.cache.on && !guarding?.looksAtAnswer;
    return await (isCached ? throughCache(deps, call, sent, guarding?.guards ?? null) : carryOut(deps, call, sent));
  } catch (thrown) {
    throw guarding ? await guarding.refusalFor(thrown) : thrown;
  } finally {
    errand.company.leave();
  }
}
