import type { RerankRequest } from "../contract/rerank.ts";
import { answerHeaders } from "./answer-headers.ts";
import { choose } from "./choose.ts";
import type { GatewayDeps, InferenceCall } from "./deps.ts";
import { exchange } from "./exchange.ts";
import { notServed } from "./pass-on.ts";
import { parseAnswer, readText } from "./read-answer.ts";
import { tellWhere } from "./tell-where.ts";

/** The story of a reranking call. */
export async function rerank(deps: GatewayDeps, call: InferenceCall, request: RerankRequest): Promise<Response> {
  const choice = choose(deps, call, "rerank", request);
  return tellWhere(choice, async () => {
    const dialect = choice.provider.rerank;
    if (!dialect) throw notServed(choice.provider, "rerank");
    const fields = choice.fields as RerankRequest;
    const sent = await exchange(deps, call, choice, dialect.encode(fields, choice.target), false);
    const answer = parseAnswer(await readText(sent));
    const facts = {
      id: `rerank-${call.callId}`,
      createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
      model: call.model,
    };
    return Response.json(dialect.decode ? dialect.decode(answer, fields, facts) : answer, {
      headers: answerHeaders(deps, call, choice, sent),
    });
  });
}
