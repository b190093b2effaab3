import Type from "typebox";
import { SpeechRequest } from "../../contract/media.ts";
import { withOptionalModel } from "../../contract/schema.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { speak } from "../../gateway/operations/speech.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Speak a text",
  auth: "key",
  success: "audio/mpeg",
  errors: INFERENCE_ERRORS,
} as const;

export const speech = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/audio/speech", "/audio/speech"],
    body: SpeechRequest,
    handle: (context) => speak(deps, callOf(context, context.body.model), context.body),
  }),
  route({
    ...shared,
    paths: ["/openai/deployments/{model...}/audio/speech"],
    params: Type.Object({ model: Type.String() }),
    body: withOptionalModel(SpeechRequest),
    handle(context) {
      const { model } = context.params;
      return speak(deps, callOf(context, model), { ...context.body, model });
    },
  }),
];
