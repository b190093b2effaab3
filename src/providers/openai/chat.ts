import type { ChatRequest } from "../../contract/chat.ts";
import { GATEWAY_FIELDS } from "../../contract/params.ts";
import type { ChatDialect } from "../dialect.ts";
import { classifyOpenAi } from "./failure.ts";
import type { OpenAiRequests } from "./requests.ts";

/** The dialect of OpenAI and of every upstream that speaks it: the request passes, less what steers the gateway. */
export const openAiChat = (requests: OpenAiRequests): ChatDialect => ({
  encode: (request, target) => requests.json(target, "/chat/completions", withoutGatewayFields(request)),
  classify: classifyOpenAi,
});

function withoutGatewayFields(request: ChatRequest): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    if (value !== null && !GATEWAY_FIELDS.has(name)) body[name] = value;
  }
  return body;
}
