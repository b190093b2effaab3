import Type from "typebox";
import { ChatRequest, ChatResponse } from "../../contract/chat.ts";
import { withOptionalModel } from "../../contract/schema.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { completeChat } from "../../gateway/operations/chat.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { firstOfModels } from "./first-of-models.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";

const shared = {
  method: "POST",
  tag: "Inference",
  summary: "Create a chat completion",
  description:
    "Follows the OpenAI chat completion interface; with `stream: true` the answer is a stream of events. Where `models` is " +
    "sent without a `model`, as OpenRouter's clients may, its first is asked and the others stand in for it.",
  auth: "key",
  success: ChatResponse,
  otherTypes: ["text/event-stream"],
  errors: [...INFERENCE_ERRORS, "not_found", "json_schema_validation"],
} as const;

export const chatCompletions = (deps: GatewayDeps): Route[] => [
  route({
    ...shared,
    paths: ["/v1/chat/completions", "/chat/completions"],
    body: ChatRequest,
    adopt: firstOfModels,
    handle: (context) => completeChat(deps, callOf(context, context.body.model), context.body),
  }),
  route({
    ...shared,
    paths: ["/engines/{model...}/chat/completions", "/openai/deployments/{model...}/chat/completions"],
    params: Type.Object({ model: Type.String() }),
    body: withOptionalModel(ChatRequest),
    handle(context) {
      const model = modelName(context.params.model, context.body.model);
      return completeChat(deps, callOf(context, model), { ...context.body, model });
    },
  }),
];
