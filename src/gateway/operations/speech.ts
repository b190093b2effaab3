import { GatewayError } from "../../contract/errors.ts";
import { recordIn } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import { innerFailure } from "../../providers/openai-form/inner-failure.ts";
import { readText } from "../attempts/read-response.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { SpeechNotes } from "../metering/speech-notes.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { metered } from "../pipeline/run-inference.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { sendPassedOn } from "./forward.ts";
import { relayBytes } from "./relay-bytes.ts";

/** An error or a page that came with the status of success. */
const NO_SOUND = /^(application\/json|text\/html)\b/i;

const EVENTS = /^text\/event-stream\b/i;

/** The story of a speech call: the sound's bytes leave as they arrive. */
export async function speak(deps: GatewayDeps, call: InferenceCall, request: Fields): Promise<Response> {
  return metered(deps, call, "speech", request, async (choice, meter) => {
    const sent = await sendPassedOn(deps, call, choice, "speech", true);
    const type = sent.response.headers.get("content-type") ?? "audio/mpeg";
    if (NO_SOUND.test(type)) throw failureIn(await readText(sent), choice.provider);
    const reader = new UpstreamReader(sent, choice.streamTimeoutMs);
    meter.watch(sent.deadline.signal);
    const notes = EVENTS.test(type) ? new SpeechNotes(meter) : undefined;
    return new Response(await relayBytes(reader, meter, notes), {
      headers: { ...answerHeaders(deps, call, choice, sent, meter.certainCost), "content-type": type },
    });
  });
}

function failureIn(text: string, provider: Provider): GatewayError {
  const body = recordIn(text);
  return body ? innerFailure(body, provider) : new GatewayError("upstream", "The provider's answer is not sound.");
}
