import type { EmbeddingAnswer, EmbeddingRequest } from "../../contract/embeddings.ts";
import { parseAnswer, readLong, readText } from "../attempts/read-response.ts";
import { exchange } from "../attempts/upstream-request.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { completeJson, completeLarge } from "../metering/complete.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { runInference } from "../pipeline/run-inference.ts";
import { relayJson } from "../streaming/relay-json.ts";
import { relayLong } from "../streaming/relay-long.ts";
import { notServed } from "./forward.ts";
import { tokensToText } from "./tokens-to-text.ts";

/** The story of an embeddings call. */
export async function embed(deps: GatewayDeps, call: InferenceCall, request: EmbeddingRequest): Promise<Response> {
  return runInference(
    deps,
    call,
    "embedding",
    { ...request, input: request.input ?? [] },
    async (target, accounting) => {
      const dialect = target.provider.embedding;
      if (!dialect) throw notServed(target.provider, "embedding");
      const asked = target.fields as EmbeddingRequest;
      // Upstreams of another form take text alone.
      const fields = dialect.decode ? { ...asked, input: await tokensToText(deps, call, asked.input, "input") } : asked;
      const sent = await exchange(deps, call, target, dialect.encode(fields, target.endpoint), false);
      const isRead = dialect.decode || accounting.guard !== null || deps.cache.on || call.caller.standing?.storePrompts;
      const long = isRead ? null : await readLong(sent);
      const passed = long && relayLong(long, target.model);
      if (passed) {
        await completeLarge(accounting, passed.usage);
        const headers = answerHeaders(deps, call, target, sent, accounting.cost);
        return new Response(passed.body, { headers: { ...headers, "content-type": "application/json" } });
      }
      const text = long ? long.toString("utf8") : await readText(sent);
      const facts = {
        id: `embd-${call.callId}`,
        createdSeconds: Math.floor(deps.clock.nowMs() / 1000),
        model: target.model,
      };
      const decoded = dialect.decode?.(parseAnswer(text), fields, facts);
      const answer = decoded && withTokens(decoded, dialect.countedInput?.(sent.response.headers) ?? null);
      const relayed = answer
        ? { text: JSON.stringify(answer), usage: answer.usage, told: {} }
        : relayJson(text, "data", target.model, target.provider);
      await completeJson(accounting, relayed.text, relayed.usage, relayed.told);
      const headers = answerHeaders(deps, call, target, sent, accounting.cost);
      return new Response(accounting.shown, { headers: { ...headers, "content-type": "application/json" } });
    },
  );
}

/** Some upstreams count in a header what their body does not tell. */
const withTokens = (answer: EmbeddingAnswer, counted: number | null): EmbeddingAnswer =>
  counted === null || answer.usage.prompt_tokens > 0
    ? answer
    : { ...answer, usage: { prompt_tokens: counted, total_tokens: counted } };
