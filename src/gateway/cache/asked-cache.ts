import { type CacheQuestion, cacheKey, type Topic, tenantOf, topicOf } from "../../cache/cache-key.ts";
import { type CacheControls, readControls } from "../../cache/controls.ts";
import { CREDENTIAL_FIELDS } from "../../contract/params.ts";
import type { Errand } from "../attempts/errand.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../deps.ts";

/** What the cache is asked about a call. */
export interface AskedCache {
  readonly key: string;
  readonly controls: CacheControls;
  /** Null where it is not compared by its meaning. */
  readonly topic: Topic | null;
}

/** Null where the cache has no part in the call. Nothing is hashed before that is known. */
export function askCache(deps: GatewayDeps, call: InferenceCall, errand: Errand): AskedCache | null {
  const { operation, request, group } = errand;
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
    fields: request,
  };
  const topic = settings.semantic && controls.read ? topicOf(question, settings.semantic.embeddingModel) : null;
  return { key: cacheKey(question), controls, topic };
}

function bringsCredentials(request: Fields): boolean {
  for (const name in request) if (CREDENTIAL_FIELDS.has(name) && request[name] != null) return true;
  return false;
}
