import type { Topic } from "../../cache/cache-key.ts";
import type { FoundAnswer, KeptAnswer } from "../../cache/cached-response.ts";
import type { Lead, Outcome } from "../../cache/singleflight.ts";
import type { CallGuards } from "../../guardrails/call-guards.ts";
import { carryOut } from "../attempts/execute.ts";
import { refuseSpentTag } from "../attempts/tag-budget.ts";
import { ownDeadlineMs } from "../call/call-options.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { Errand } from "../call/prepared-request.ts";
import { leftWaiting } from "../pipeline/client-disconnect.ts";
import { CallFacts } from "../routing/routing-context.ts";
import { type AskedCache, askCache } from "./request.ts";
import { giveAgain } from "./respond.ts";
import { AnswerKeeper } from "./writer.ts";

/** A call with what the cache has to do with it. */
interface Trip {
  readonly deps: GatewayDeps;
  readonly call: InferenceCall;
  /** As its guardrails have left it. */
  readonly errand: Errand;
  readonly guards: CallGuards | null;
  readonly asked: AskedCache;
}

/** Answers a call with what is kept, or sends it and keeps the answer. Only asked for where the cache is on. */
export function throughCache(
  deps: GatewayDeps,
  call: InferenceCall,
  errand: Errand,
  guards: CallGuards | null,
): Promise<Response> {
  const asked = askCache(deps, call, errand);
  if (!asked) return carryOut(deps, call, errand);
  const trip: Trip = { deps, call, errand, guards, asked };
  const { read, ageMaxMs } = asked.controls;
  if (!read) return ask(trip, null);
  const found = deps.cache.find(asked.key, ageMaxMs);
  return found instanceof Promise ? goOnWith(trip, found) : goOn(trip, found);
}

async function goOnWith(trip: Trip, found: Promise<KeptAnswer | null>): Promise<Response> {
  return goOn(trip, await found);
}

function goOn(trip: Trip, answer: KeptAnswer | null): Promise<Response> {
  const { key, controls } = trip.asked;
  if (answer) return give(trip, { answer, key, similarity: null });
  return controls.write ? together(trip) : ask(trip, null);
}

/** The first of several calls that ask the same is made, the others wait for what it brings. */
function together(trip: Trip): Promise<Response> {
  const { deps, call, errand, asked } = trip;
  const joined = deps.cache.flights.join(asked.key, call.signal, patienceMs(errand));
  return joined instanceof Promise ? wait(trip, joined) : ask(trip, joined);
}

/** Nobody waits for another's answer longer than it would for its own. */
function patienceMs({ request, wishes }: Errand): number {
  const whole = wishes.timeoutMs ?? Number.POSITIVE_INFINITY;
  return request.stream === true ? Math.min(whole, wishes.streamTimeoutMs ?? whole) : whole;
}

async function wait(trip: Trip, joined: Promise<Outcome<FoundAnswer>>): Promise<Response> {
  const { deps, call, asked } = trip;
  call.connection.keepOpen();
  const outcome = await joined.finally(() => call.connection.release());
  if (call.signal.aborted) {
    if (outcome && "lead" in outcome) outcome.lead.leave();
    throw await trip.errand.company.failureFor(leftWaiting(deps, call, trip.errand));
  }
  if (outcome === null) return ask(trip, null);
  if ("lead" in outcome) return ask(trip, outcome.lead);
  // Whoever led may have found an answer that it did not ask to be as young.
  if (!deps.cache.isYoung(outcome.answer.answer, asked.controls.ageMaxMs)) return ask(trip, null);
  deps.cache.counts.sharedHits++;
  return give(trip, outcome.answer);
}

/** Asks the model, after what means the same where that is looked for. Whoever leads ends what it leads. */
function ask(trip: Trip, lead: Lead<FoundAnswer> | null): Promise<Response> {
  const { topic } = trip.asked;
  return topic ? askByMeaning(trip, topic, lead) : send(trip, lead, null);
}

async function askByMeaning(trip: Trip, topic: Topic, lead: Lead<FoundAnswer> | null): Promise<Response> {
  const { deps, call, errand } = trip;
  let vector: Float32Array | null;
  let near: FoundAnswer | null;
  try {
    // Comparing costs something already.
    const known = deps.budgetsKnown();
    if (known !== null) await known;
    refuseSpentTag(deps, call, errand, new CallFacts(call, errand));
    vector = await deps.vectorOf(call, topic.text, ownDeadlineMs(call, errand.wishes));
    near = vector && (await findNear(trip, topic, vector));
  } catch (thrown) {
    if (call.signal.aborted) lead?.leave();
    else lead?.fail();
    throw await errand.company.failureFor(thrown);
  }
  if (!near) return send(trip, lead, vector);
  lead?.land(near);
  deps.cache.counts.semanticHits++;
  return give(trip, near);
}

/** Nothing was found: the call is made, and its answer kept. */
function send(trip: Trip, lead: Lead<FoundAnswer> | null, vector: Float32Array | null): Promise<Response> {
  const { deps, call, errand, asked } = trip;
  deps.cache.counts.misses++;
  errand.company.join(new AnswerKeeper(deps, call, asked, lead, vector));
  return carryOut(deps, call, errand);
}

/** No more questions whose answers are gone are passed over for one. */
const GONE_MAX = 8;

async function findNear(trip: Trip, { bucket }: Topic, vector: Float32Array): Promise<FoundAnswer | null> {
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
async function give(trip: Trip, found: FoundAnswer): Promise<Response> {
  const { deps, call, errand, guards } = trip;
  deps.cache.counts.hits++;
  try {
    const response = await giveAgain(deps, call, errand, guards, found);
    const left = errand.company.leave();
    if (left) await left;
    return response;
  } catch (thrown) {
    throw await errand.company.failureFor(thrown);
  }
}
