import type { Topic } from "../../cache/cache-key.ts";
import type { Lead, Outcome } from "../../cache/flights.ts";
import type { KeptAnswer } from "../../cache/kept-answer.ts";
import type { CallGuards } from "../../guardrails/call-guards.ts";
import { carryOut } from "../attempts/carry-out.ts";
import type { Errand } from "../attempts/errand.ts";
import type { GatewayDeps, InferenceCall } from "../deps.ts";
import { leftWaiting } from "../left-waiting.ts";
import { AnswerKeeper } from "./answer-keeper.ts";
import { type AskedCache, askCache } from "./asked-cache.ts";
import { giveAgain } from "./give-again.ts";

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
  if (answer) return give(trip, answer, key, null);
  return controls.write ? together(trip) : ask(trip, null);
}

/** The first of several calls that ask the same is made, the others wait for what it brings. */
function together(trip: Trip): Promise<Response> {
  const { deps, call, asked } = trip;
  const joined = deps.cache.flights.join(asked.key, call.signal);
  return joined instanceof Promise ? wait(trip, joined) : ask(trip, joined);
}

async function wait(trip: Trip, joined: Promise<Outcome<KeptAnswer>>): Promise<Response> {
  const { deps, call, asked } = trip;
  call.connection.keepOpen();
  const outcome = await joined.finally(() => call.connection.release());
  if (call.signal.aborted) {
    if (outcome && "lead" in outcome) outcome.lead.leave();
    throw await trip.errand.company.failureFor(leftWaiting(deps, call, trip.errand));
  }
  if (outcome && "answer" in outcome) {
    deps.cache.counts.sharedHits++;
    return give(trip, outcome.answer, asked.key, null);
  }
  return ask(trip, outcome?.lead ?? null);
}

/** Asks the model, after what means the same where that is looked for. Whoever leads ends what it leads. */
function ask(trip: Trip, lead: Lead<KeptAnswer> | null): Promise<Response> {
  const { topic } = trip.asked;
  return topic ? askByMeaning(trip, topic, lead) : send(trip, lead, null);
}

async function askByMeaning(trip: Trip, topic: Topic, lead: Lead<KeptAnswer> | null): Promise<Response> {
  const { deps, call, errand } = trip;
  let vector: Float32Array | null;
  let near: Near | null;
  try {
    vector = await deps.vectorOf(call, topic.text);
    near = vector && (await findNear(trip, topic, vector));
  } catch (thrown) {
    if (call.signal.aborted) lead?.leave();
    else lead?.fail();
    throw await errand.company.failureFor(thrown);
  }
  if (!near) return send(trip, lead, vector);
  lead?.land(near.answer);
  deps.cache.counts.semanticHits++;
  return give(trip, near.answer, near.key, near.similarity);
}

/** Nothing was found: the call is made, and its answer kept. */
function send(trip: Trip, lead: Lead<KeptAnswer> | null, vector: Float32Array | null): Promise<Response> {
  const { deps, call, errand, asked } = trip;
  deps.cache.counts.misses++;
  errand.company.join(new AnswerKeeper(deps, call, asked, lead, vector));
  return carryOut(deps, call, errand);
}

interface Near {
  readonly key: string;
  readonly answer: KeptAnswer;
  readonly similarity: number;
}

async function findNear(trip: Trip, { bucket }: Topic, vector: Float32Array): Promise<Near | null> {
  const { cache } = trip.deps;
  const { semantic } = cache.settings();
  if (!semantic) return null;
  const near = await cache.index.nearest(bucket, vector);
  if (!near || near.similarity < semantic.threshold) return null;
  const answer = await cache.find(near.key, null);
  if (!answer) {
    cache.unwaited(cache.index.remove(bucket, near.key));
    return null;
  }
  const { ageMaxMs } = trip.asked.controls;
  return ageMaxMs !== null && cache.nowMs() - answer.keptAtMs >= ageMaxMs ? null : { ...near, answer };
}

/** Nothing of it is in the books yet: those who went along with the call are told that it is over. */
async function give(trip: Trip, answer: KeptAnswer, key: string, similarity: number | null): Promise<Response> {
  const { deps, call, errand, guards } = trip;
  deps.cache.counts.hits++;
  try {
    const response = await giveAgain(deps, call, errand, guards, { answer, key, similarity });
    errand.company.leave();
    return response;
  } catch (thrown) {
    throw await errand.company.failureFor(thrown);
  }
}
