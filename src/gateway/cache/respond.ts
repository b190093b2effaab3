import type { CachedResponse, FoundAnswer } from "../../cache/cached-response.ts";
import { costOf, NO_COST } from "../../catalog/cost.ts";
import { type PriceSheet, priceSheet } from "../../catalog/price-sheet.ts";
import { shareOfPrices } from "../../catalog/share-of-price.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { UsageRecord } from "../../contract/usage.ts";
import type { CallGuards } from "../../guardrails/call-guards.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import type { ResponseMetadata } from "../call/response-metadata.ts";
import { textsOfAnswer } from "../guardrails/response-fields.ts";
import { DeliveredText } from "../metering/delivered-text.ts";
import { askedTier } from "../metering/estimate.ts";
import { outcome } from "../metering/outcome.ts";
import { chargeOf, isRefusal, logRejectedCall, pricingOf } from "../metering/reserve.ts";
import { truncateJson } from "../metering/truncate-json.ts";
import { newRecord } from "../metering/usage-record.ts";
import { asksForCost } from "../pipeline/openrouter-params.ts";
import { keptAnswerHeaders } from "../pipeline/response-headers.ts";
import { withCost, withCosts } from "../streaming/cost-frames.ts";
import { STREAM_HEADERS } from "../streaming/write-stream.ts";

/** Gives an answer again: it is in the log as the call that it stands for, and costs what a hit costs. */
export async function respondFromCache(
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
  guards: CallGuards | null,
  found: FoundAnswer,
): Promise<Response> {
  const { answer, key, similarity } = found;
  const record = recordOf(deps, call, prepared, found);
  const percent = deps.cache.settings().hitPricePercent;
  const sheet = percent === 0 ? null : await sheetOf(deps, call, prepared, answer, percent);
  const cost = await charge(deps, call, record, sheet);
  call.onCost?.(cost, record);
  if (answer.estimated) call.responseMeta.estimate = answer.units;
  if (call.caller.standing?.storePrompts) keepTexts(deps, call, prepared, guards, answer);
  if (guards?.monitorsOnly) guards.givenAgain = () => textsIn(prepared, answer);
  const headers: Record<string, string> = {
    ...keptAnswerHeaders(deps, call, answer, cost),
    ...(isStream(answer) ? STREAM_HEADERS : { "content-type": answer.contentType }),
    "x-gw-cache-hit": "true",
    "x-gw-cache-key": key,
    age: String(Math.max(0, Math.floor((deps.clock.nowMs() - answer.keptAtMs) / 1000))),
  };
  if (similarity !== null) headers["x-gw-semantic-similarity"] = similarity.toFixed(4);
  return new Response(asksForCost(prepared.request) ? costed(answer, cost, call.responseMeta) : answer.body, {
    headers,
  });
}

const costed = (answer: CachedResponse, cost: bigint, responseMeta: ResponseMetadata): string | null =>
  isStream(answer) ? withCosts(answer.body, cost) : withCost(answer.body, cost, responseMeta);

const isStream = ({ contentType }: CachedResponse): boolean => contentType.startsWith("text/event-stream");

const textsIn = ({ operation }: PreparedRequest, answer: CachedResponse): readonly string[] =>
  isStream(answer) ? [saidIn(answer.body)] : textsOfAnswer(operation, answer.body);

function saidIn(frames: string): string {
  const said = new DeliveredText();
  said.addFrame(frames);
  return said.text;
}

function keepTexts(
  deps: GatewayDeps,
  call: InferenceCall,
  { request }: PreparedRequest,
  guards: CallGuards | null,
  answer: CachedResponse,
): void {
  const given = isStream(answer) ? JSON.stringify(saidIn(answer.body)) : answer.body;
  const sent = JSON.stringify(request);
  const [asked, said] = [guards?.storedRequest(sent) ?? sent, guards?.stored(given) ?? given];
  deps.books.keepTexts(call.callId, truncateJson(asked), truncateJson(said));
}

function recordOf(
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
  { answer, key }: FoundAnswer,
): UsageRecord {
  const begun = newRecord(deps, call, prepared.operation, prepared.request, null, "succeeded");
  const { group, deploymentId, provider, upstreamModel, units, estimated } = answer;
  const model = prepared.deployments.find(({ id }) => id === deploymentId)?.calledAs ?? group;
  const latencyMs = Math.round(deps.clock.monotonicMs() - call.receivedAtMs);
  return {
    ...begun,
    ...units,
    ...outcome("succeeded", null),
    ...{ model, deploymentId, provider, upstreamModel, estimated, latencyMs },
    firstByteMs: latencyMs,
    cacheHit: true,
    metadata: { ...begun.metadata, cache_key: key },
  };
}

/** By what a hit is charged; null where the call that it stands for would be free. */
async function sheetOf(
  deps: GatewayDeps,
  call: InferenceCall,
  { operation, request, deployments }: PreparedRequest,
  { deploymentId }: CachedResponse,
  percent: number,
): Promise<PriceSheet | null> {
  const deployment = deployments.find(({ id }) => id === deploymentId) ?? deployments[0];
  if (!deployment) return null;
  const charged = chargeOf(deps, call, deployment, operation, await pricingOf(deps, deployment));
  if (!charged) return null;
  return priceSheet(shareOfPrices(charged.prices, percent), askedTier(request), charged.markupBp);
}

/** Everything is known already: what is held is what is charged. */
async function charge(
  deps: GatewayDeps,
  call: InferenceCall,
  record: UsageRecord,
  sheet: PriceSheet | null,
): Promise<bigint> {
  const { books } = deps;
  const { cost, parts } = sheet ? costOf(sheet, record) : NO_COST;
  const creditSources = cost > 0n ? books.creditSources.of(call.caller, record.model ?? "", deps.clock.nowMs()) : [];
  try {
    const pending =
      creditSources.length > 0
        ? books.desk.hold({ callId: call.callId, creditSources, amount: cost, signal: call.signal })
        : null;
    const hold = pending instanceof Promise ? await pending : pending;
    try {
      if (sheet) books.keepSheet(sheet);
      const charged = { ...record, cost, costParts: parts, priceVersion: sheet?.version ?? null };
      await books.journal.end(
        charged,
        creditSources.map(({ id }) => id),
      );
    } catch (thrown) {
      hold?.release();
      throw thrown;
    }
    hold?.settle(cost);
    return cost;
  } catch (thrown) {
    if (thrown instanceof GatewayError && isRefusal(thrown))
      logRejectedCall(deps, { ...record, status: "rejected" }, thrown);
    throw thrown;
  }
}
