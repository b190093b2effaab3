import type { ChatAnswer, ChatChunk } from "../../contract/chat.ts";
import type { CompletionRequest } from "../../contract/completions.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import { requireAnswer } from "../../providers/openai-form/inner-failure.ts";
import { streamFacts } from "../attempts/error-details.ts";
import { parseAnswer, readText, requireRecord } from "../attempts/read-response.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { guardedFrames } from "../guardrails/guard-stream.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import { completeJson } from "../metering/complete.ts";
import { withoutUpstreamPrices } from "../metering/upstream-prices.ts";
import { asksForCost, asksForUsage } from "../pipeline/openrouter-params.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { runInference } from "../pipeline/run-inference.ts";
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
  return runInference(deps, call, "completion", request, (target, accounting) =>
    target.provider.completion
      ? passText(deps, call, target, accounting, request)
      : chatInstead(deps, call, target, accounting, request),
  );
}

const wantsUsage = (deps: GatewayDeps, request: CompletionRequest): boolean =>
  asksForUsage(request) || deps.settings().alwaysIncludeUsage;

async function passText(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  accounting: CallAccounting,
  request: CompletionRequest,
): Promise<Response> {
  const sent = await sendPassedOn(deps, call, target, "completion", request.stream === true);
  if (request.stream !== true) {
    const { text, usage, told } = relayJson(await readText(sent), "choices", target.model, target.provider);
    await completeJson(accounting, text, usage, told);
    return new Response(
      asksForCost(request) ? withCost(accounting.shown, accounting.cost, call.responseMeta) : accounting.shown,
      {
        headers: { ...answerHeaders(deps, call, target, sent, accounting.cost), "content-type": "application/json" },
      },
    );
  }
  accounting.watch(sent.deadline.signal);
  const source = new StreamRelay(new UpstreamReader(sent, target.streamTimeoutMs), {
    model: JSON.stringify(target.model),
    includeUsage: wantsUsage(deps, request),
    choices: choicesOf(target.fields),
    renameDelta: null,
    notes: accounting,
    provider: target.provider,
  });
  const guarded = guardedFrames(source, accounting);
  const shown = asksForCost(request) ? new CostFrames(guarded, accounting) : guarded;
  const body = await openStream(shown, streamFacts(deps, call, target), accounting);
  return new Response(body, { headers: { ...answerHeaders(deps, call, target, sent), ...STREAM_HEADERS } });
}

async function chatInstead(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  accounting: CallAccounting,
  request: CompletionRequest,
): Promise<Response> {
  const prompt = await onePrompt(deps, call, target.fields as CompletionRequest);
  const chat = await sendChat(deps, call, { ...target, fields: toChatFields(target.fields, prompt) });
  const { dialect, fields, facts, exchange } = chat;
  if (request.stream !== true) {
    const parsed = parseAnswer(await readText(exchange));
    const answer = dialect.decode ? dialect.decode(parsed, fields, facts) : requireChat(parsed, facts, target.provider);
    const text = JSON.stringify(toTextAnswer(answer, target.model));
    await completeJson(accounting, text, answer.usage ?? null, answer);
    return new Response(
      asksForCost(request) ? withCost(accounting.shown, accounting.cost, call.responseMeta) : accounting.shown,
      {
        headers: {
          ...answerHeaders(deps, call, target, exchange, accounting.cost),
          "content-type": "application/json",
        },
      },
    );
  }
  const reader = new UpstreamReader(exchange, target.streamTimeoutMs);
  accounting.watch(exchange.deadline.signal);
  const source = new ChunkFrames(openChunks(reader, chat, target.provider), {
    includeUsage: wantsUsage(deps, request),
    notes: accounting,
    render: (chunk: ChatChunk) => toTextChunk(chunk, target.model),
  });
  const guarded = guardedFrames(source, accounting);
  const shown = asksForCost(request) ? new CostFrames(guarded, accounting) : guarded;
  const body = await openStream(shown, streamFacts(deps, call, target), accounting);
  return new Response(body, { headers: { ...answerHeaders(deps, call, target, exchange), ...STREAM_HEADERS } });
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
