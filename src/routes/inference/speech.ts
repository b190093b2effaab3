import { SpeechRequest } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/deps.ts";
import { speak } from "../../gateway/speech.ts";
import { route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";

export const speech = (deps: GatewayDeps) =>
  route({
    method: "POST",
    paths: ["/v1/audio/speech", "/audio/speech"],
    tag: "Inference",
    summary: "Speak a text",
    auth: "key",
    body: SpeechRequest,
    success: "audio/mpeg",
    errors: INFERENCE_ERRORS,
    handle: (context) => speak(deps, callOf(context, context.body.model), context.body),
  });
