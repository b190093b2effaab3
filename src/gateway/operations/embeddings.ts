import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { parseAnswer, readLong, readText } from "../attempts/read-response.ts";
import { exchange } from "../attempts/upstream-request.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { endLong, endPlain } from "../metering/complete.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { metered } from "../pipeline/run-inference.ts";
import { relayJson } from "../streaming/relay-json.ts";
import { relayLong } from "../streaming/relay-long.ts";
import { notServed } from "./forward.ts";
import { tokensToText } from "./tokens-to-text.ts";

/** The story of an embeddings call. */
export async function embed(deps: GatewayDeps, call: InferenceCall, request: EmbeddingRequest): Promise<Response> {
  return metered(deps, call, "embedding", { ...request, input: request.input ?? [] }, async (choice, meter) => {
    const dialect = choice.provider.embedding;
    if (!dialect) throw notServed(choice.provider, "embedding");
    const asked = choice.fields as EmbeddingRequest;
    // Upstreams of another form take text alone.
    const fields = dialect.decode ? { ...asked, input: await tokensToText(deps, call, asked.input, "input") } : asked;
    const sent = await exchange(deps, call, choice, dialect.encode(fields, choice.target), false);
    const isRead = dialect.decode || meter.guard !== null || deps.cache.on || call.caller.standing?.storePrompts;
    const long = isRead ? null : await readLong(sent);
    const passed = long && relayLong(long, choice.model);
    if (passed) {
      await endLong(meter, passed.usage);
      const headers = answerHeaders(deps, call, choice, sent, meter.cost);
      return new Response(passed.body, { headers: { ...headers, "content-type": "application/json" } });
    }
    const text = long ? long.toString("utf8") : await readText(sent);
    const facts = {
      id: `embd-${call.callId}`,
      createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
      model: choice.model,
    };
    const decoded = dialect.decode?.(parseAnswer(text), fields, facts);
    const answer = decoded && withTokens(decoded, dialect.countedInput?.(sent.response.headers) ?? null);
    const relayed = answer
      ? { text: JSON.stringify(answer), usage: answer.usage, told: {} }
      : relayJson(text, "data", choice.model, choice.provider);
    await endPlain(meter, relayed.text, relayed.usage, relayed.told);
    const headers = answerHeaders(deps, call, choice, sent, meter.cost);
    return new Response(meter.shown, { headers: { ...headers, "content-type": "application/json" } });
  });
}

/** Some upstreams count in a header what their body does not tell. */
const withTokens = (answer: EmbeddingAnswer, counted: number | null): EmbeddingAnswer =>
  counted === null || answer.usage.prompt_tokens > 0
    ? answer
    : { ...answer, usage: { prompt_tokens: counted, total_tokens: counted } };
