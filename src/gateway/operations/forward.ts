import { GatewayError } from "../../contract/errors.ts";
import { makesImages, type Operation } from "../../contract/params.ts";
import type { PassedOn, Provider } from "../../providers/dialect.ts";
import { readText } from "../attempts/read-response.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import { type Exchange, exchange } from "../attempts/upstream-request.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import { completeJson } from "../metering/complete.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { runInference } from "../pipeline/run-inference.ts";
import { relayJson } from "../streaming/relay-json.ts";

type PassedOnOperation = "moderation" | "image" | "completion" | "speech";

/** An operation that every provider which has it speaks in OpenAI's form: the request passes, the JSON answer comes back. */
export async function forwardRequest(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: "moderation" | "image",
  request: Fields,
): Promise<Response> {
  if (operation === "image") refuseStream(request);
  return runInference(deps, call, operation, request, async (target, accounting) => {
    const sent = await sendPassedOn(deps, call, target, operation, false);
    return forwardResponse(deps, call, target, accounting, sent, operation);
  });
}

/** The whole answer of such an operation, as its caller gets it; what it used is in the books then. */
export async function forwardResponse(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  accounting: CallAccounting,
  sent: Exchange,
  operation: keyof typeof FIELDS,
): Promise<Response> {
  const { text, usage, told } = relayJson(await readText(sent), FIELDS[operation], target.model, target.provider);
  if (makesImages(operation)) accounting.count({ images: countImages(text, told) });
  await completeJson(accounting, text, usage, told);
  const headers = { ...answerHeaders(deps, call, target, sent, accounting.cost), "content-type": "application/json" };
  return new Response(accounting.shown, { headers });
}

const FIELDS = { moderation: "results", image: "data", image_edit: "data" } as const;

/** A stream of pictures would be paid for and could not be passed on; without one there are no unfinished pictures to send. */
export function refuseStream({ stream, partial_images }: Fields): void {
  const param = stream === true ? "stream" : Number(partial_images ?? 0) > 0 ? "partial_images" : null;
  if (param === null) return;
  throw new GatewayError("invalid_request", `Images are answered whole and are not streamed: leave out \`${param}\`.`, {
    param,
  });
}

/** Pictures inside an answer make it long, and a long one is not parsed: each of them has this name before it. */
const countImages = (text: string, { data }: Fields): number =>
  Array.isArray(data) ? data.length : (text.match(/"b64_json"\s*:\s*"/g)?.length ?? 0);

export function sendPassedOn(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  operation: PassedOnOperation,
  streamed: boolean,
): Promise<Exchange> {
  const dialect: PassedOn | undefined = target.provider[operation];
  if (!dialect) throw notServed(target.provider, operation);
  return exchange(deps, call, target, dialect.encode(target.fields, target.endpoint), streamed);
}

const NAMES: Readonly<Record<Operation, string>> = {
  chat: "chat completions",
  completion: "text completions",
  embedding: "embeddings",
  moderation: "moderations",
  speech: "speech",
  transcription: "transcriptions",
  translation: "translations",
  image: "images",
  image_edit: "edits of images",
  rerank: "reranking",
  realtime: "realtime sessions",
};

export const notServed = (provider: Provider, operation: Operation): GatewayError =>
  new GatewayError("invalid_request", `${provider.title} does not serve ${NAMES[operation]}.`, { param: "model" });
