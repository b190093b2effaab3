import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import { streamFacts } from "../attempts/error-details.ts";
import { exchangeText, parseAnswer } from "../attempts/read-response.ts";
import type { Choice } from "../attempts/resolve-target.ts";
import { exchange } from "../attempts/upstream-request.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { Onward } from "../call/prepared-request.ts";
import { guardedFrames } from "../guardrails/guard-stream.ts";
import type { MeteredCall } from "../metering/call-accounting.ts";
import { endPlain, refusePlain } from "../metering/complete.ts";
import { withoutUpstreamPrices } from "../metering/upstream-prices.ts";
import { asksForCost, asksForUsage } from "../pipeline/openrouter-params.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { AnswerTemplates } from "../pipeline/response-template.ts";
import { metered } from "../pipeline/run-inference.ts";
import { ChunkFrames, type ChunkNotes } from "../streaming/chunk-frames.ts";
import { CostFrames, withCost } from "../streaming/cost-frames.ts";
import { TextShortcut } from "../streaming/fast-path.ts";
import { openChunks } from "../streaming/open-chunks.ts";
import { renameKeys, StreamRelay } from "../streaming/relay.ts";
import { type Relayed, relayJson } from "../streaming/relay-json.ts";
import { goOn } from "../streaming/resume.ts";
import { ResumedFrames } from "../streaming/resumed-frames.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { type FrameSource, openStream, STREAM_HEADERS } from "../streaming/write-stream.ts";
import { choicesOf } from "./choices.ts";
import { withOwnFiles } from "./file-references.ts";
import { checkJsonSchema, refuseEndlessSchema } from "./json-schema.ts";
import { type EncodedChat, encodeChat } from "./send-chat.ts";

const plainAnswers = new AnswerTemplates();
const streams = new AnswerTemplates();

/** The story of a chat completion: who may call what, where it goes, and how the answer comes back. */
export function completeChat(deps: GatewayDeps, call: InferenceCall, request: ChatRequest): Promise<Response> {
  const filled = withOwnFiles(deps, call.caller, request);
  return filled ? completeAfter(filled, deps, call) : complete(deps, call, request);
}

async function completeAfter(filled: Promise<ChatRequest>, deps: GatewayDeps, call: InferenceCall): Promise<Response> {
  return complete(deps, call, await filled);
}

function complete(deps: GatewayDeps, call: InferenceCall, request: ChatRequest): Promise<Response> {
  const checked = deps.settings().validateJsonSchema || request.enable_json_schema_validation === true;
  if (checked) refuseEndlessSchema(request);
  return metered(deps, call, "chat", request, (choice, meter, onward) =>
    request.stream === true
      ? answerStream(deps, call, choice, meter, request, onward)
      : answerPlain(deps, call, choice, meter, request, checked),
  );
}

async function answerPlain(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  meter: MeteredCall,
  request: ChatRequest,
  checked: boolean,
): Promise<Response> {
  const encoded = encodeChat(deps, call, choice);
  const chat = encoded instanceof Promise ? await encoded : encoded;
  const sent = await exchangeText(deps, call, choice, chat.upstream);
  const { text: body, usage, told } = plainBody(sent.text, chat, choice);
  try {
    if (checked) checkJsonSchema(request, JSON.parse(body) as ChatAnswer, meter.guard);
  } catch (thrown) {
    await refusePlain(meter, body, usage, told, thrown);
    throw thrown;
  }
  await endPlain(meter, body, usage, told);
  const headers = answerHeaders(deps, call, choice, sent, meter.cost);
  headers["content-type"] = "application/json";
  const shown = asksForCost(request) ? withCost(meter.shown, meter.cost, call.told) : meter.shown;
  return plainAnswers.answer(choice.deployment, shown, headers);
}

function plainBody(text: string, { dialect, fields, facts }: EncodedChat, { model, provider }: Choice): Relayed {
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
  choice: Choice,
  meter: MeteredCall,
  request: ChatRequest,
  onward: Onward,
): Promise<Response> {
  const encoded = encodeChat(deps, call, choice);
  const chat = encoded instanceof Promise ? await encoded : encoded;
  const sent = await exchange(deps, call, choice, chat.upstream, true);
  const reader = new UpstreamReader(sent, choice.streamTimeoutMs);
  meter.watch(sent.deadline.signal);
  const { alwaysIncludeUsage, midStreamFallbacks } = deps.settings();
  const includeUsage = asksForUsage(request) || alwaysIncludeUsage;
  const frames = chatFrames(reader, chat, choice.provider, includeUsage, meter);
  const source = midStreamFallbacks
    ? new ResumedFrames(frames, goOn(deps, call, choice, meter, includeUsage, onward))
    : frames;
  const guarded = guardedFrames(source, meter);
  const shown = asksForCost(request) ? new CostFrames(guarded, meter) : guarded;
  const body = await openStream(shown, streamFacts(deps, call, choice), meter);
  const headers = Object.assign(answerHeaders(deps, call, choice, sent), STREAM_HEADERS);
  return streams.answer(choice.deployment, body, headers);
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
  const chunks = openChunks(reader, chat, provider, new TextShortcut());
  return new ChunkFrames(chunks, { includeUsage, notes, render: (chunk) => chunk });
}
