import Type from "typebox";
import { EmbeddingRequest } from "../../contract/embeddings.ts";
import { withOptionalModel } from "../../contract/schema.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { embed } from "../../gateway/operations/embeddings.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Create embeddings",
  auth: "key",
  success: Type.Object({}, { additionalProperties: true }),
  errors: INFERENCE_ERRORS,
} as const;

export const embeddings = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/embeddings", "/embeddings"],
    body: EmbeddingRequest,
    handle: (context) => embed(deps, callOf(context, context.body.model), context.body),
  }),
  route({
    ...shared,
    paths: ["/engines/{model...}/embeddings", "/openai/deployments/{model...}/embeddings"],
    params: Type.Object({ model: Type.String() }),
    body: withOptionalModel(EmbeddingRequest),
    handle(context) {
      const model = modelName(context.params.model, context.body.model);
      return embed(deps, callOf(context, model), { ...context.body, model });
    },
  }),
];
