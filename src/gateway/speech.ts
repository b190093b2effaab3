import { answerHeaders } from "./answer-headers.ts";
import type { Fields, GatewayDeps, InferenceCall } from "./deps.ts";
import { metered } from "./metering/metered.ts";
import { sendPassedOn } from "./pass-on.ts";
import { relayBytes } from "./relay-bytes.ts";
import { UpstreamReader } from "./upstream-reader.ts";

/** The story of a speech call: the sound's bytes leave as they arrive. */
export async function speak(deps: GatewayDeps, call: InferenceCall, request: Fields): Promise<Response> {
  return metered(deps, call, "speech", request, async (choice, meter) => {
    const sent = await sendPassedOn(deps, call, choice, "speech", true);
    const reader = new UpstreamReader(sent, choice.streamTimeoutMs);
    meter.watch(sent.deadline.signal);
    const type = sent.response.headers.get("content-type") ?? "audio/mpeg";
    return new Response(await relayBytes(reader, meter), {
      headers: { ...answerHeaders(deps, call, choice, sent), "content-type": type },
    });
  });
}
