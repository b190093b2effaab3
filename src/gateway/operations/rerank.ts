import type { RerankRequest } from "../../contract/rerank.ts";
import { isRecord } from "../../lib/json.ts";
import { exchangeText, parseAnswer } from "../attempts/read-response.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { endPlain } from "../metering/complete.ts";
import { measurePrompt } from "../metering/prompt-size.ts";
import { searchesOf } from "../metering/search-units.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { metered } from "../pipeline/run-inference.ts";
import { notServed } from "./forward.ts";

/** The story of a reranking call. */
export async function rerank(deps: GatewayDeps, call: InferenceCall, request: RerankRequest): Promise<Response> {
  return metered(deps, call, "rerank", request, async (choice, meter) => {
    const dialect = choice.provider.rerank;
    if (!dialect) throw notServed(choice.provider, "rerank");
    const fields = choice.fields as RerankRequest;
    const sent = await exchangeText(deps, call, choice, dialect.encode(fields, choice.target));
    const answer = parseAnswer(sent.text);
    const { usage, meta } = isRecord(answer) ? answer : {};
    const facts = {
      id: `rerank-${call.callId}`,
      createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
      model: choice.model,
    };
    const text = JSON.stringify(dialect.decode ? dialect.decode(answer, fields, facts) : answer);
    meter.count({ searchUnits: searchesOf(meta, fields, measurePrompt("rerank", fields)) });
    // Some tell what they counted as OpenAI does, Cohere in its own place.
    await endPlain(meter, text, usage ?? (isRecord(meta) ? meta.tokens : null), {});
    const headers = answerHeaders(deps, call, choice, sent, meter.cost);
    return new Response(meter.shown, { headers: { ...headers, "content-type": "application/json" } });
  });
}
