import { ChatRequest, ChatResponse } from "../../contract/chat.ts";
import { type ChatDeps, completeChat } from "../../gateway/chat.ts";
import { route } from "../../http/route.ts";

export const chatCompletions = (deps: ChatDeps) =>
  route({
    method: "POST",
    paths: ["/v1/chat/completions", "/chat/completions"],
    tag: "Inference",
    summary: "Create a chat completion",
    description: "Follows the OpenAI chat completion interface; with `stream: true` the answer is a stream of events.",
    auth: "key",
    body: ChatRequest,
    success: ChatResponse,
    errors: [
      "invalid_request",
      "content_policy",
      "context_window",
      "permission",
      "team_blocked",
      "model_not_found",
      "timeout",
      "rate_limit",
      "upstream",
      "connection",
    ],
    handle({ connection, request, caller, body, callId }) {
      connection.keepOpen();
      return completeChat(deps, { caller, request: body, callId, signal: request.signal });
    },
  });
