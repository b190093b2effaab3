import type { Operation } from "../../contract/params.ts";
import { carryOut } from "../attempts/carry-out.ts";
import type { Errand } from "../attempts/errand.ts";
import { throughCache } from "../cache/through-cache.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { type GuardedErrand, guarded, guardsOf } from "../guarding/guarded.ts";
import { type Watch, withPermit } from "../limits/with-permit.ts";
import { resolveForCaller } from "../model-access.ts";
import { checkOwnFallbacks } from "../own-fallbacks.ts";
import { routeFacts } from "../route-facts.ts";
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
  const measure = measurePrompt(operation, request);
  const send = (asked: Fields, guard: GuardedErrand | null, watch: Watch): Promise<Response> => {
    const sent = asked === request ? measure : measurePrompt(operation, asked);
    const begun = begunWith(guard?.begun ?? null, watch);
    const errand: Errand = { operation, request: asked, measure: sent, fileBytes, work, begun };
    // An answer that guardrails look at is made for this call alone.
    if (!deps.cache.on || guard?.looksAtAnswer)
      return carryOut(deps, call, errand, deployments, routeFacts(call, errand, deployments));
    return throughCache(deps, call, errand, deployments, guard?.stored ?? null);
  };
  const guards = guardsOf(deps, call, request);
  const group = deployments[0]?.group ?? call.model;
  return withPermit(deps, call, { operation, request, measure, group }, (watch) => {
    if (guards === null) return send(request, null, watch);
    return guarded(deps, call, operation, request, guards, (errand) => send(errand.request, errand, watch));
  });
}

/** Who is told when the call is in the books. */
function begunWith(guard: GuardedErrand["begun"], watch: Watch): Errand["begun"] {
  if (!watch || !guard) return watch ?? guard;
  return (meter) => {
    watch(meter);
    guard(meter);
  };
}
