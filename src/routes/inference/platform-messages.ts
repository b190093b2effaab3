import Type from "typebox";
import type { Keys } from "../../accounts/keys.ts";
import { ChatRequest, ChatResponse } from "../../contract/chat.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { completeChat } from "../../gateway/operations/chat.ts";
import { route } from "../../http/route.ts";
import { personalCall } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";

const Body = Type.Object(
  { ...ChatRequest.properties, apiKey: Type.String({ minLength: 1, maxLength: 512 }) },
  { additionalProperties: true },
);

/** For people who are logged in: a chat under one of their own keys, named by its value, its handle or its id. */
export const platformMessages = (deps: { gateway: GatewayDeps; keys: Keys }) =>
  route({
    method: "POST",
    paths: ["/api/gw/messages"],
    tag: "Inference",
    summary: "Create a chat completion under one of one's own keys",
    auth: "session",
    body: Body,
    success: ChatResponse,
    errors: [...INFERENCE_ERRORS, "not_found", "json_schema_validation"],
    async handle(context) {
      const { apiKey, ...asked } = context.body;
      const address = context.connection.remoteAddress;
      const caller = await deps.keys.asCaller({ caller: context.caller, reference: apiKey, address });
      return completeChat(deps.gateway, personalCall(context, caller, asked.model), asked as ChatRequest);
    },
  });
