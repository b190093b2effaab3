import Type from "typebox";
import type { Keys } from "../../accounts/keys.ts";
import { ChatRequest, ChatResponse } from "../../contract/chat.ts";
import { completeChat } from "../../gateway/chat.ts";
import type { GatewayDeps } from "../../gateway/deps.ts";
import { route } from "../../http/route.ts";
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
    async handle({ caller: person, body, callId, receivedAtMs, request, connection }) {
      const { apiKey, ...asked } = body;
      const caller = await deps.keys.asCaller({ caller: person, reference: apiKey, address: connection.remoteAddress });
      const call = { caller, model: asked.model, callId, receivedAtMs, signal: request.signal, connection };
      return completeChat(deps.gateway, call, asked as ChatRequest);
    },
  });
