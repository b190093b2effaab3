import type { SemanticKey } from "../../cache/cache-key.ts";
import type { CachedResponse, FoundAnswer } from "../../cache/cached-response.ts";
import type { Leader, Outcome } from "../../cache/singleflight.ts";
import type { CallGuards } from "../../guardrails/call-guards.ts";
import { executeWithFallbacks } from "../attempts/execute.ts";
import { rejectIfTagBudgetExhausted } from "../attempts/tag-budget.ts";
import { clientDeadlineMs } from "../call/call-options.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import { disconnectedWhileWaiting } from "../pipeline/client-disconnect.ts";
import { CallRoutingContext } from "../routing/routing-context.ts";
import { type CacheRequest, cacheRequest } from "./request.ts";
import { respondFromCache } from "./respond.ts";
import { CacheWriter } from "./writer.ts";

/** A call with what the cache has to do with it. */
interface CallExecution {
  readonly deps: GatewayDeps;
  readonly call: InferenceCall;
  /** As its guardrails have left it. */
  readonly prepared: PreparedRequest;
  readonly guards: CallGuards | null;
  readonly asked: CacheRequest;
}

/** Answers a call with what is kept, or sends it and keeps the answer. Only asked for where the cache is on. */
export function serveFromCache(
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
  guards: CallGuards | null,
): Promise<Response> {
  const asked = cacheRequest(deps, call, prepared);
  if (!asked) return executeWithFallbacks(deps, call, prepared);
  const trip: CallExecution = { deps, call, prepared, guards, asked };
  const { read, ageMaxMs } = asked.controls;
  if (!read) return ask(trip, null);
  const found = deps.cache.find(asked.key, ageMaxMs);
  return found instanceof Promise ? goOnWith(trip, found) : proceed(trip, found);
}

async function goOnWith(trip: CallExecution, found: Promise<CachedResponse | null>): Promise<Response> {
  return proceed(trip, await found);
}

function proceed(trip: CallExecution, answer: CachedResponse | null): Promise<Response> {
  const { key, controls } = trip.asked;
  if (answer) return give(trip, { answer, key, similarity: null });
  return controls.write ? joinInFlight(trip) : ask(trip, null);
}

/** The first of several calls that ask the same is made, the others wait for what it brings. */
function joinInFlight(trip: CallExecution): Promise<Response> {
  const { deps, call, prepared, asked } = trip;
  const joined = deps.cache.flights.join(asked.key, call.signal, maxWaitMs(prepared));
  return joined instanceof Promise ? wait(trip, joined) : ask(trip, joined);
}

/** Nobody waits for another's answer longer than it would for its own. */
function maxWaitMs({ request, options }: PreparedRequest): number {
  const whole = options.timeoutMs ?? Number.POSITIVE_INFINITY;
  return request.stream === true ? Math.min(whole, options.streamTimeoutMs ?? whole) : whole;
}

async function wait(trip: CallExecution, joined: Promise<Outcome<FoundAnswer>>): Promise<Response> {
  const { deps, call, asked } = trip;
  call.connection.keepOpen();
  const outcome = await joined.finally(() => call.connection.release());
  if (call.signal.aborted) {
    if (outcome && "lead" in outcome) outcome.lead.leave();
    throw await trip.prepared.hooks.failureFor(disconnectedWhileWaiting(deps, call, trip.prepared));
  }
  if (outcome === null) return ask(trip, null);
  if ("lead" in outcome) return ask(trip, outcome.lead);
  // Whoever led may have found an answer that it did not ask to be as young.
  if (!deps.cache.isYoung(outcome.answer.answer, asked.controls.ageMaxMs)) return ask(trip, null);
  deps.cache.counts.sharedHits++;
  return give(trip, outcome.answer);
}

/** Asks the model, after what means the same where that is looked for. Whoever leads ends what it leads. */
function ask(trip: CallExecution, lead: Leader<FoundAnswer> | null): Promise<Response> {
  const { topic } = trip.asked;
  return topic ? lookupSemantic(trip, topic, lead) : send(trip, lead, null);
}

async function lookupSemantic(
  trip: CallExecution,
  topic: SemanticKey,
  lead: Leader<FoundAnswer> | null,
): Promise<Response> {
  const { deps, call, prepared } = trip;
  let vector: Float32Array | null;
  let near: FoundAnswer | null;
  try {
    // Comparing costs something already.
    const known = deps.budgetsLoaded();
    if (known !== null) await known;
    rejectIfTagBudgetExhausted(deps, call, prepared, new CallRoutingContext(call, prepared));
    vector = await deps.vectorOf(call, topic.text, clientDeadlineMs(call, prepared.options));
    near = vector && (await findNear(trip, topic, vector));
  } catch (thrown) {
    if (call.signal.aborted) lead?.leave();
    else lead?.fail();
    throw await prepared.hooks.failureFor(thrown);
  }
  if (!near) return send(trip, lead, vector);
  lead?.land(near);
  deps.cache.counts.semanticHits++;
  return give(trip, near);
}

/** Nothing was found: the call is made, and its answer kept. */
function send(trip: CallExecution, lead: Leader<FoundAnswer> | null, vector: Float32Array | null): Promise<Response> {
  const { deps, call, prepared, asked } = trip;
  deps.cache.counts.misses++;
  prepared.hooks.join(new CacheWriter(deps, call, asked, lead, vector));
  return executeWithFallbacks(deps, call, prepared);
}

/** No more questions whose answers are gone are passed over for one. */
const GONE_MAX = 8;

async function findNear(
  trip: CallExecution,
  { bucket }: SemanticKey,
  vector: Float32Array,
): Promise<FoundAnswer | null> {
  const { cache } = trip.deps;
  const { semantic } = cache.settings();
  if (!semantic) return null;
  for (let gone = 0; gone <= GONE_MAX; gone++) {
    const near = await cache.index.nearest(bucket, vector);
    if (!near || near.similarity < semantic.threshold) return null;
    const { key, similarity } = near;
    const answer = await cache.find(key, null);
    if (answer) return cache.isYoung(answer, trip.asked.controls.ageMaxMs) ? { key, similarity, answer } : null;
    await cache.index.remove(bucket, near);
  }
  return null;
}

/** Nothing of it is in the books yet: those who went along with the call are told that it is over. */
async function give(trip: CallExecution, found: FoundAnswer): Promise<Response> {
  const { deps, call, prepared, guards } = trip;
  deps.cache.counts.hits++;
  try {
    const response = await respondFromCache(deps, call, prepared, guards, found);
    const left = prepared.hooks.leave();
    if (left) await left;
    return response;
  } catch (thrown) {
    throw await prepared.hooks.failureFor(thrown);
  }
}
