import type { EmbeddingRequest } from "../contract/embeddings.ts";
import { answerHeaders } from "./answer-headers.ts";
import { choose } from "./choose.ts";
import type { GatewayDeps, InferenceCall } from "./deps.ts";
import { exchange } from "./exchange.ts";
import { notServed } from "./pass-on.ts";
import { parseAnswer, readText } from "./read-answer.ts";
import { relayJson } from "./relay-json.ts";
import { tellWhere } from "./tell-where.ts";
import { tokensToText } from "./tokens-to-text.ts";

/** The story of an embeddings call. */
export async function embed(deps: GatewayDeps, call: InferenceCall, request: EmbeddingRequest): Promise<Response> {
  const choice = choose(deps, call, "embedding", { ...request, input: request.input ?? [] });
  return tellWhere(choice, async () => {
    const dialect = choice.provider.embedding;
    if (!dialect) throw notServed(choice.provider, "embedding");
    const asked = choice.fields as EmbeddingRequest;
    // Upstreams of another form take text alone.
    const fields = dialect.decode ? { ...asked, input: await tokensToText(asked.input) } : asked;
    const sent = await exchange(deps, call, choice, dialect.encode(fields, choice.target), false);
    const text = await readText(sent);
    const facts = {
      id: `embd-${call.callId}`,
      createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
      model: call.model,
    };
    const answer = dialect.decode?.(parseAnswer(text), fields, facts);
    const relayed = answer ? { text: JSON.stringify(answer), usage: answer.usage } : relayJson(text, call.model);
    deps.meter(choice.deployment.group, relayed.usage);
    const headers = answerHeaders(deps, call, choice, sent, relayed.usage);
    return new Response(relayed.text, { headers: { ...headers, "content-type": "application/json" } });
  });
}
