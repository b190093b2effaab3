import { GatewayError } from "../../contract/errors.ts";
import { recordIn } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import { innerFailure } from "../../providers/openai-form/inner-failure.ts";
import { readText } from "../attempts/read-response.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { SpeechNotes } from "../metering/speech-notes.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { runInference } from "../pipeline/run-inference.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { sendPassedOn } from "./forward.ts";
import { relayBytes } from "./relay-bytes.ts";

/** An error or a page that came with the status of success. */
const NO_SOUND = /^(application\/json|text\/html)\b/i;

const EVENTS = /^text\/event-stream\b/i;

/** The story of a speech call: the sound's bytes leave as they arrive. */
export async function speak(deps: GatewayDeps, call: InferenceCall, request: Fields): Promise<Response> {
  return runInference(deps, call, "speech", request, async (target, accounting) => {
    const sent = await sendPassedOn(deps, call, target, "speech", true);
    const type = sent.response.headers.get("content-type") ?? "audio/mpeg";
    if (NO_SOUND.test(type)) throw failureIn(await readText(sent), target.provider);
    const reader = new UpstreamReader(sent, target.streamTimeoutMs);
    accounting.watch(sent.deadline.signal);
    const notes = EVENTS.test(type) ? new SpeechNotes(accounting) : undefined;
    return new Response(await relayBytes(reader, accounting, notes), {
      headers: { ...answerHeaders(deps, call, target, sent, accounting.certainCost), "content-type": type },
    });
  });
}

function failureIn(text: string, provider: Provider): GatewayError {
  const body = recordIn(text);
  return body ? innerFailure(body, provider) : new GatewayError("upstream", "The provider's answer is not sound.");
}
