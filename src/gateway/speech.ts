import { answerHeaders } from "./answer-headers.ts";
import { choose } from "./choose.ts";
import type { Fields, GatewayDeps, InferenceCall } from "./deps.ts";
import { sendPassedOn } from "./pass-on.ts";
import { tellWhere } from "./tell-where.ts";
import { UpstreamReader } from "./upstream-reader.ts";

/** The story of a speech call: the sound's bytes leave as they arrive. */
export async function speak(deps: GatewayDeps, call: InferenceCall, request: Fields): Promise<Response> {
  const choice = choose(deps, call, "speech", request);
  return tellWhere(choice, async () => {
    const sent = await sendPassedOn(deps, call, choice, "speech", true);
    const reader = new UpstreamReader(sent, choice.streamTimeoutMs);
    const type = sent.response.headers.get("content-type") ?? "audio/mpeg";
    return new Response(relayBytes(reader), {
      headers: { ...answerHeaders(deps, call, choice, sent), "content-type": type },
    });
  });
}

/** A sound that breaks off ends the connection: half of it must not look whole. */
export const relayBytes = (reader: UpstreamReader): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = await reader.read();
        if (chunk !== null) return controller.enqueue(chunk);
        reader.close();
        controller.close();
      } catch (thrown) {
        reader.close();
        controller.error(thrown);
      }
    },
    cancel: () => reader.close(),
  });
