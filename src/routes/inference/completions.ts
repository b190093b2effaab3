import Type from "typebox";
import { CompletionRequest } from "../../contract/completions.ts";
import { nullable, withOptionalModel } from "../../contract/schema.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { completeText } from "../../gateway/operations/completions.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { firstOfModels } from "./first-of-models.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Create a text completion",
  auth: "key",
  body: withOptionalModel(CompletionRequest),
  success: Type.Object({}, { additionalProperties: true }),
  otherTypes: ["text/event-stream"],
  errors: INFERENCE_ERRORS,
} as const;

export const completions = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/completions", "/completions"],
    adopt: firstOfModels,
    query: Type.Object({ model: nullable(Type.String({ description: "Wins over the body's model." })) }),
    handle(context) {
      const model = modelName(context.query.model, context.body.model);
      return completeText(deps, callOf(context, model), { ...context.body, model });
    },
  }),
  route({
    ...shared,
    paths: ["/engines/{model...}/completions", "/openai/deployments/{model...}/completions"],
    params: Type.Object({ model: Type.String() }),
    handle(context) {
      const model = modelName(context.params.model, context.body.model);
      return completeText(deps, callOf(context, model), { ...context.body, model });
    },
  }),
];
