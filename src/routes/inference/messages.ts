import {
  MessageCountRequest,
  MessageCountResponse,
  MessagesRequest,
  MessagesResponse,
} from "../../contract/messages.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { answerMessage, countMessage } from "../../gateway/interfaces/anthropic/create-message.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { COUNTED_BY } from "./counted-by.ts";
import { firstOfModels } from "./first-of-models.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";

/** Anthropic's interface, for every model; clients have its address with and without `/anthropic`. */
export const messages = (deps: GatewayDeps): Route[] => [
  route({
    method: "POST",
    paths: ["/v1/messages", "/anthropic/v1/messages"],
    tag: "Inference",
    summary: "Create a message",
    description:
      "Follows Anthropic's Messages interface, for every model; with `stream: true` the answer is a stream of events.",
    auth: "key",
    body: MessagesRequest,
    adopt: firstOfModels,
    success: MessagesResponse,
    otherTypes: ["text/event-stream"],
    errors: [...INFERENCE_ERRORS, "json_schema_validation"],
    handle: (context) => answerMessage(deps, callOf(context, context.body.model), context.body),
  }),
  route({
    method: "POST",
    paths: ["/v1/messages/count_tokens", "/anthropic/v1/messages/count_tokens"],
    tag: "Inference",
    summary: "Count the tokens of a message",
    description: COUNTED_BY,
    auth: "key",
    body: MessageCountRequest,
    success: MessageCountResponse,
    errors: INFERENCE_ERRORS,
    async handle(context) {
      const call = callOf(context, context.body.model);
      const input_tokens = await countMessage(deps, call, context.body);
      return json({ input_tokens }, 200, call.responseMeta.addTo({}));
    },
  }),
];
