import type { Operation } from "../../contract/params.ts";
import { carryOut } from "../attempts/carry-out.ts";
import type { Errand } from "../attempts/errand.ts";
import { throughCache } from "../cache/through-cache.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";
import { resolveForCaller } from "../model-access.ts";
import { checkOwnFallbacks } from "../own-fallbacks.ts";
import { routeFacts } from "../route-facts.ts";
import { measurePrompt } from "./prompt-measure.ts";

/**
 * The way of every inference call: who may call what, then a deployment is chosen, the estimate set aside, the call written
 * down, and only then sent. Whatever `work` throws is tried elsewhere or ends the call in the books; what it answers has
 * ended there, or ends with its last byte.
 */
export async function metered(
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
  const errand: Errand = { operation, request, measure, fileBytes, work };
  const send = (sent: Errand) => carryOut(deps, call, sent, deployments, routeFacts(call, sent, deployments));
  if (!deps.cache.on) return send(errand);
  return throughCache(deps, call, errand, { operation, request, deployments, variant: "" }, send);
}
