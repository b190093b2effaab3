import { GatewayError } from "../contract/errors.ts";
import type { Operation } from "../contract/params.ts";
import type { PassedOn, Provider } from "../providers/dialect.ts";
import { answerHeaders } from "./answer-headers.ts";
import type { Choice } from "./choose.ts";
import type { Fields, GatewayDeps, InferenceCall } from "./deps.ts";
import { type Exchange, exchange } from "./exchange.ts";
import { endPlain } from "./metering/end-plain.ts";
import { metered } from "./metering/metered.ts";
import { readText } from "./read-answer.ts";
import { relayJson } from "./relay-json.ts";

type PassedOnOperation = "moderation" | "image" | "completion" | "speech";

/** An operation that every provider which has it speaks in OpenAI's form: the request passes, the JSON answer comes back. */
export async function passOn(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: "moderation" | "image",
  request: Fields,
): Promise<Response> {
  return metered(deps, call, operation, request, async (choice, meter) => {
    const sent = await sendPassedOn(deps, call, choice, operation, false);
    const { text, usage, told } = relayJson(await readText(sent), FIELDS[operation], choice.model, choice.provider);
    if (operation === "image") meter.count({ images: countImages(text, told) });
    await endPlain(meter, text, usage, told);
    const headers = { ...answerHeaders(deps, call, choice, sent, meter.cost), "content-type": "application/json" };
    return new Response(meter.shown, { headers });
  });
}

const FIELDS = { moderation: "results", image: "data" } as const;

/** Pictures inside an answer make it long, and a long one is not parsed: each of them has this name before it. */
const countImages = (text: string, { data }: Fields): number =>
  Array.isArray(data) ? data.length : (text.match(/"b64_json"\s*:\s*"/g)?.length ?? 0);

export function sendPassedOn(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  operation: PassedOnOperation,
  streamed: boolean,
): Promise<Exchange> {
  const dialect: PassedOn | undefined = choice.provider[operation];
  if (!dialect) throw notServed(choice.provider, operation);
  return exchange(deps, call, choice, dialect.encode(choice.fields, choice.target), streamed);
}

const NAMES: Readonly<Record<Operation, string>> = {
  chat: "chat completions",
  completion: "text completions",
  embedding: "embeddings",
  moderation: "moderations",
  speech: "speech",
  transcription: "transcriptions",
  image: "images",
  rerank: "reranking",
};

export const notServed = (provider: Provider, operation: Operation): GatewayError =>
  new GatewayError("invalid_request", `${provider.title} does not serve ${NAMES[operation]}.`, { param: "model" });
