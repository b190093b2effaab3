import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import { streamFacts } from "../attempts/error-details.ts";
import { exchangeText, parseAnswer } from "../attempts/read-response.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import { exchange } from "../attempts/upstream-request.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { NextAttempt } from "../call/prepared-request.ts";
import { guardedFrames } from "../guardrails/guard-stream.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import { completeJson, rejectJson } from "../metering/complete.ts";
import { withoutUpstreamPrices } from "../metering/upstream-prices.ts";
import { asksForCost, asksForUsage } from "../pipeline/openrouter-params.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { AnswerTemplates } from "../pipeline/response-template.ts";
import { runInference } from "../pipeline/run-inference.ts";
import { ChunkFrames, type ChunkNotes } from "../streaming/chunk-frames.ts";
import { CostFrames, withCost } from "../streaming/cost-frames.ts";
import { ChunkFastPath } from "../streaming/fast-path.ts";
import { openChunks } from "../streaming/open-chunks.ts";
import { renameKeys, StreamRelay } from "../streaming/relay.ts";
import { type Relayed, relayJson } from "../streaming/relay-json.ts";
import { resumeStream } from "../streaming/resume.ts";
import { ResumedFrames } from "../streaming/resumed-frames.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { type FrameSource, openStream, STREAM_HEADERS } from "../streaming/write-stream.ts";
import { choicesOf } from "./choices.ts";
import { resolveFileIds } from "./file-references.ts";
import { checkJsonSchema, rejectRecursiveSchema } from "./json-schema.ts";
import { type EncodedChat, encodeChat } from "./send-chat.ts";

const plainAnswers = new AnswerTemplates();
const streams = new AnswerTemplates();

/** The story of a chat completion: who may call what, where it goes, and how the answer comes back. */
export function completeChat(deps: GatewayDeps, call: InferenceCall, request: ChatRequest): Promise<Response> {
  const filled = resolveFileIds(deps, call.caller, request);
  return filled ? completeAfter(filled, deps, call) : complete(deps, call, request);
}

async function completeAfter(filled: Promise<ChatRequest>, deps: GatewayDeps, call: InferenceCall): Promise<Response> {
  return complete(deps, call, await filled);
}

function complete(deps: GatewayDeps, call: InferenceCall, request: ChatRequest): Promise<Response> {
  const checked = deps.settings().validateJsonSchema || request.enable_json_schema_validation === true;
  if (checked) rejectRecursiveSchema(request);
  return runInference(deps, call, "chat", request, (target, accounting, nextAttempt) =>
    request.stream === true
      ? answerStream(deps, call, target, accounting, request, nextAttempt)
      : answerPlain(deps, call, target, accounting, request, checked),
  );
}

async function answerPlain(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  accounting: CallAccounting,
  request: ChatRequest,
  checked: boolean,
): Promise<Response> {
  const encoded = encodeChat(deps, call, target);
  const chat = encoded instanceof Promise ? await encoded : encoded;
  const sent = await exchangeText(deps, call, target, chat.upstream);
  const { text: body, usage, told } = plainBody(sent.text, chat, target);
  try {
    if (checked) checkJsonSchema(request, JSON.parse(body) as ChatAnswer, accounting.guard);
  } catch (thrown) {
    await rejectJson(accounting, body, usage, told, thrown);
    throw thrown;
  }
  await completeJson(accounting, body, usage, told);
  const headers = answerHeaders(deps, call, target, sent, accounting.cost);
  headers["content-type"] = "application/json";
  const shown = asksForCost(request)
    ? withCost(accounting.shown, accounting.cost, call.responseMeta)
    : accounting.shown;
  return plainAnswers.answer(target.deployment, shown, headers);
}

function plainBody(
  text: string,
  { dialect, fields, facts }: EncodedChat,
  { model, provider }: ResolvedTarget,
): Relayed {
  if (dialect.decode) {
    const answer = dialect.decode(parseAnswer(text), fields, facts);
    return { text: JSON.stringify(withoutUpstreamPrices(answer)), usage: answer.usage ?? null, told: answer };
  }
  const relayed = relayJson(text, "choices", model, provider);
  return { ...relayed, text: renamed(relayed.text, dialect.relay?.renameDelta) };
}

/** Fields of a message that the upstream calls by another name. */
function renamed(text: string, names: Readonly<Record<string, string>> | undefined): string {
  if (!names || !Object.keys(names).some((name) => text.includes(`"${name}"`))) return text;
  const body = JSON.parse(text) as { choices?: unknown };
  for (const one of Array.isArray(body.choices) ? body.choices : []) {
    if (isRecord(one) && isRecord(one.message)) renameKeys(one.message, names);
  }
  return JSON.stringify(body);
}

async function answerStream(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  accounting: CallAccounting,
  request: ChatRequest,
  nextAttempt: NextAttempt,
): Promise<Response> {
  const encoded = encodeChat(deps, call, target);
  const chat = encoded instanceof Promise ? await encoded : encoded;
  const sent = await exchange(deps, call, target, chat.upstream, true);
  const reader = new UpstreamReader(sent, target.streamTimeoutMs);
  accounting.watch(sent.deadline.signal);
  const { alwaysIncludeUsage, midStreamFallbacks } = deps.settings();
  const includeUsage = asksForUsage(request) || alwaysIncludeUsage;
  const frames = chatFrames(reader, chat, target.provider, includeUsage, accounting);
  const source = midStreamFallbacks
    ? new ResumedFrames(frames, resumeStream(deps, call, target, accounting, includeUsage, nextAttempt))
    : frames;
  const guarded = guardedFrames(source, accounting);
  const shown = asksForCost(request) ? new CostFrames(guarded, accounting) : guarded;
  const body = await openStream(shown, streamFacts(deps, call, target), accounting);
  const headers = Object.assign(answerHeaders(deps, call, target, sent), STREAM_HEADERS);
  return streams.answer(target.deployment, body, headers);
}

function chatFrames(
  reader: UpstreamReader,
  chat: EncodedChat,
  provider: Provider,
  includeUsage: boolean,
  notes: ChunkNotes,
): FrameSource {
  const { dialect, fields, facts } = chat;
  if (!dialect.stream) {
    const renameDelta = dialect.relay?.renameDelta ?? null;
    return new StreamRelay(reader, {
      model: JSON.stringify(facts.model),
      includeUsage,
      choices: choicesOf(fields),
      renameDelta,
      notes,
      provider,
    });
  }
  const chunks = openChunks(reader, chat, provider, new ChunkFastPath());
  return new ChunkFrames(chunks, { includeUsage, notes, render: (chunk) => chunk });
}
