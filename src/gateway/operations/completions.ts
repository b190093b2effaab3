import type { ChatAnswer, ChatChunk } from "../../contract/chat.ts";
import type { CompletionRequest } from "../../contract/completions.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import { requireAnswer } from "../../providers/openai-form/inner-failure.ts";
import { streamFacts } from "../attempts/error-details.ts";
import { parseAnswer, readText, requireRecord } from "../attempts/read-response.ts";
import type { Choice } from "../attempts/resolve-target.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { guardedFrames } from "../guardrails/guard-stream.ts";
import type { MeteredCall } from "../metering/call-accounting.ts";
import { endPlain } from "../metering/complete.ts";
import { withoutUpstreamPrices } from "../metering/upstream-prices.ts";
import { asksForCost, asksForUsage } from "../pipeline/openrouter-params.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { metered } from "../pipeline/run-inference.ts";
import { ChunkFrames } from "../streaming/chunk-frames.ts";
import { CostFrames, withCost } from "../streaming/cost-frames.ts";
import { openChunks } from "../streaming/open-chunks.ts";
import { StreamRelay } from "../streaming/relay.ts";
import { relayJson } from "../streaming/relay-json.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { openStream, STREAM_HEADERS } from "../streaming/write-stream.ts";
import { choicesOf } from "./choices.ts";
import { sendPassedOn } from "./forward.ts";
import { sendChat } from "./send-chat.ts";
import { toChatFields, toTextAnswer, toTextChunk } from "./text-over-chat.ts";
import { tokensToText } from "./tokens-to-text.ts";

/** The story of a text completion: at a provider that has them as they are, else as a chat with one message. */
export async function completeText(
  deps: GatewayDeps,
  call: InferenceCall,
  request: CompletionRequest,
): Promise<Response> {
  return metered(deps, call, "completion", request, (choice, meter) =>
    choice.provider.completion
      ? passText(deps, call, choice, meter, request)
      : chatInstead(deps, call, choice, meter, request),
  );
}

const wantsUsage = (deps: GatewayDeps, request: CompletionRequest): boolean =>
  asksForUsage(request) || deps.settings().alwaysIncludeUsage;

async function passText(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  meter: MeteredCall,
  request: CompletionRequest,
): Promise<Response> {
  const sent = await sendPassedOn(deps, call, choice, "completion", request.stream === true);
  if (request.stream !== true) {
    const { text, usage, told } = relayJson(await readText(sent), "choices", choice.model, choice.provider);
    await endPlain(meter, text, usage, told);
    return new Response(asksForCost(request) ? withCost(meter.shown, meter.cost, call.told) : meter.shown, {
      headers: { ...answerHeaders(deps, call, choice, sent, meter.cost), "content-type": "application/json" },
    });
  }
  meter.watch(sent.deadline.signal);
  const source = new StreamRelay(new UpstreamReader(sent, choice.streamTimeoutMs), {
    model: JSON.stringify(choice.model),
    includeUsage: wantsUsage(deps, request),
    choices: choicesOf(choice.fields),
    renameDelta: null,
    notes: meter,
    provider: choice.provider,
  });
  const guarded = guardedFrames(source, meter);
  const shown = asksForCost(request) ? new CostFrames(guarded, meter) : guarded;
  const body = await openStream(shown, streamFacts(deps, call, choice), meter);
  return new Response(body, { headers: { ...answerHeaders(deps, call, choice, sent), ...STREAM_HEADERS } });
}

async function chatInstead(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  meter: MeteredCall,
  request: CompletionRequest,
): Promise<Response> {
  const prompt = await onePrompt(deps, call, choice.fields as CompletionRequest);
  const chat = await sendChat(deps, call, { ...choice, fields: toChatFields(choice.fields, prompt) });
  const { dialect, fields, facts, exchange } = chat;
  if (request.stream !== true) {
    const parsed = parseAnswer(await readText(exchange));
    const answer = dialect.decode ? dialect.decode(parsed, fields, facts) : requireChat(parsed, facts, choice.provider);
    const text = JSON.stringify(toTextAnswer(answer, choice.model));
    await endPlain(meter, text, answer.usage ?? null, answer);
    return new Response(asksForCost(request) ? withCost(meter.shown, meter.cost, call.told) : meter.shown, {
      headers: { ...answerHeaders(deps, call, choice, exchange, meter.cost), "content-type": "application/json" },
    });
  }
  const reader = new UpstreamReader(exchange, choice.streamTimeoutMs);
  meter.watch(exchange.deadline.signal);
  const source = new ChunkFrames(openChunks(reader, chat, choice.provider), {
    includeUsage: wantsUsage(deps, request),
    notes: meter,
    render: (chunk: ChatChunk) => toTextChunk(chunk, choice.model),
  });
  const guarded = guardedFrames(source, meter);
  const shown = asksForCost(request) ? new CostFrames(guarded, meter) : guarded;
  const body = await openStream(shown, streamFacts(deps, call, choice), meter);
  return new Response(body, { headers: { ...answerHeaders(deps, call, choice, exchange), ...STREAM_HEADERS } });
}

/** An answer in our own form, as far as a text is made of it. */
function requireChat(
  parsed: unknown,
  facts: { id: string; createdSeconds: number },
  provider: Pick<Provider, "classify">,
): ChatAnswer {
  const answer = requireRecord(parsed);
  requireAnswer(answer, "choices", provider);
  if (!(answer.choices as unknown[]).every((one) => isRecord(one) && isRecord(one.message))) {
    throw new GatewayError("upstream", "A choice of the provider's answer has no message.");
  }
  const id = typeof answer.id === "string" ? answer.id : facts.id;
  return { created: facts.createdSeconds, ...withoutUpstreamPrices(answer), id } as unknown as ChatAnswer;
}

/** A chat has one prompt; several at once need a provider that has text completions. */
async function onePrompt(deps: GatewayDeps, call: InferenceCall, { prompt }: CompletionRequest): Promise<string> {
  const prompts = await tokensToText(deps, call, prompt, "prompt");
  if (typeof prompts === "string") return prompts;
  const [only, ...others] = prompts;
  if (only !== undefined && others.length === 0) return only;
  throw new GatewayError("invalid_request", "This model takes one prompt at a time.", { param: "prompt" });
}
