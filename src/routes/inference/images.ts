import Type from "typebox";
import { findGroupOfMode } from "../../catalog/group-of-mode.ts";
import { ImageRequest } from "../../contract/media.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { forwardRequest } from "../../gateway/operations/forward.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Create images",
  auth: "key",
  body: ImageRequest,
  success: Type.Object({}, { additionalProperties: true }),
  errors: INFERENCE_ERRORS,
} as const;

/** Without a model, the first group whose mode is image generation is asked. */
export const images = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/images/generations", "/images/generations"],
    handle(context) {
      const model = modelName(context.body.model, findGroupOfMode(deps.catalog().deployments, "image_generation"));
      return forwardRequest(deps, callOf(context, model), "image", { ...context.body, model });
    },
  }),
  route({
    ...shared,
    paths: ["/openai/deployments/{model...}/images/generations"],
    params: Type.Object({ model: Type.String() }),
    handle(context) {
      const { model } = context.params;
      return forwardRequest(deps, callOf(context, model), "image", { ...context.body, model });
    },
  }),
];
