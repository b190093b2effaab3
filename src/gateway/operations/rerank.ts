import type { RerankRequest } from "../../contract/rerank.ts";
import { isRecord } from "../../lib/json.ts";
import { exchangeText, parseAnswer } from "../attempts/read-response.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { completeJson } from "../metering/complete.ts";
import { measurePrompt } from "../metering/prompt-size.ts";
import { searchesOf } from "../metering/search-units.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { runInference } from "../pipeline/run-inference.ts";
import { notServed } from "./forward.ts";

/** The story of a reranking call. */
export async function rerank(deps: GatewayDeps, call: InferenceCall, request: RerankRequest): Promise<Response> {
  return runInference(deps, call, "rerank", request, async (target, accounting) => {
    const dialect = target.provider.rerank;
    if (!dialect) throw notServed(target.provider, "rerank");
    const fields = target.fields as RerankRequest;
    const sent = await exchangeText(deps, call, target, dialect.encode(fields, target.endpoint));
    const answer = parseAnswer(sent.text);
    const { usage, meta } = isRecord(answer) ? answer : {};
    const facts = {
      id: `rerank-${call.callId}`,
      createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
      model: target.model,
    };
    const text = JSON.stringify(dialect.decode ? dialect.decode(answer, fields, facts) : answer);
    accounting.count({ searchUnits: searchesOf(meta, fields, measurePrompt("rerank", fields)) });
    // Some tell what they counted as OpenAI does, Cohere in its own place.
    await completeJson(accounting, text, usage ?? (isRecord(meta) ? meta.tokens : null), {});
    const headers = answerHeaders(deps, call, target, sent, accounting.cost);
    return new Response(accounting.shown, { headers: { ...headers, "content-type": "application/json" } });
  });
}
