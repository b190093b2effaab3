import { type CacheQuestion, cacheKey, type SemanticKey, tenantOf, topicOf } from "../../cache/cache-key.ts";
import { type CacheControls, readControls } from "../../cache/controls.ts";
import { CREDENTIAL_FIELDS, GATEWAY_FIELDS, type Operation } from "../../contract/params.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import { tagsOf } from "../metering/usage-record.ts";
import { targetOf } from "../pipeline/authorize-model.ts";
import { validateGatewayParams } from "../pipeline/gateway-params.ts";
import { withoutCostAsked } from "../pipeline/openrouter-params.ts";

/** What the cache is asked about a call. */
export interface CacheRequest {
  readonly operation: Operation;
  readonly key: string;
  readonly controls: CacheControls;
  /** Null where it is not compared by its meaning. */
  readonly topic: SemanticKey | null;
}

/** Null where the cache has no part in the call. Nothing is hashed before that is known. */
export function cacheRequest(deps: GatewayDeps, call: InferenceCall, prepared: PreparedRequest): CacheRequest | null {
  const { operation, request, group } = prepared;
  const settings = deps.cache.settings();
  if (!settings.operations.has(operation)) return null;
  const controls = readControls(request, call.header("cache-control"), settings.onByDefault);
  // What a caller gets with a key of its own, or from an address of its own, is nobody else's.
  if (!controls || bringsCredentials(request)) return null;
  const question: CacheQuestion = {
    tenant: tenantOf(settings.scope, call.caller),
    namespace: controls.namespace ?? settings.namespace,
    operation,
    group,
    model: call.model,
    route: routeOf(deps, call, request),
    fields: TELLS_COST.has(operation) ? withoutCostAsked(request, deps.settings().alwaysIncludeUsage) : request,
  };
  const topic = settings.semantic && controls.read ? topicOf(question, settings.semantic.embeddingModel) : null;
  return { operation, key: cacheKey(question), controls, topic };
}

const TELLS_COST: ReadonlySet<Operation> = new Set<Operation>(["chat", "completion"]);

const ANY_ROUTE: readonly string[] = [];

/** What narrows the deployments of a group down for this call. Most calls are through without. */
function routeOf(deps: GatewayDeps, call: InferenceCall, request: Fields): readonly string[] {
  const { caller, model, source } = call;
  const target = targetOf(caller, model);
  const region = call.header("x-gw-region");
  const tags = deps.router.goesByTags ? tagsOf(request, source.tags, caller.tags) : ANY_ROUTE;
  if (target === model && region === null && tags.length === 0) return ANY_ROUTE;
  return [target, region ?? "", ...[...tags].sort()];
}

/** What steers a call is looked at by the way: what is kept would be given whatever it says. */
function bringsCredentials(request: Fields): boolean {
  for (const name in request) {
    const value = request[name];
    if (value === null || value === undefined) continue;
    if (CREDENTIAL_FIELDS.has(name)) return true;
    if (GATEWAY_FIELDS.has(name)) validateGatewayParams(name, value);
  }
  return false;
}
