import type { ChatRequest } from "../../../contract/chat.ts";
import type { MessageCountRequest, MessagesRequest } from "../../../contract/messages.ts";
import { isRecord } from "../../../lib/json.ts";
import type { GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import { completeChat } from "../../operations/chat.ts";
import { countPrompt } from "../../operations/count-tokens.ts";
import { eventBody } from "../shared/event-body.ts";
import { MessageEvents } from "./message-events.ts";
import { toRequest } from "./read-request.ts";
import type { Asked } from "./stop-reason.ts";
import { toMessage } from "./to-message.ts";

/** The story of a message: a chat like any other, asked and answered in Anthropic's form. */
export async function answerMessage(deps: GatewayDeps, call: InferenceCall, body: MessagesRequest): Promise<Response> {
  const request = requestOf(call, body);
  const answer = await completeChat(deps, call, request);
  const asked = askedIn(request);
  const headers = new Headers(answer.headers);
  headers.delete("content-length");
  if (request.stream === true) {
    return new Response(eventBody(answer, new MessageEvents(call.callId, asked, call.responseMeta)), { headers });
  }
  return new Response(JSON.stringify(toMessage(await answer.json(), asked, call.responseMeta.estimate)), { headers });
}

/** Counted by the provider's own counter where it has one. */
export const countMessage = async (
  deps: GatewayDeps,
  call: InferenceCall,
  body: MessageCountRequest,
): Promise<number> => (await countPrompt(deps, call, requestOf(call, body))).total_tokens;

const requestOf = (call: InferenceCall, body: MessagesRequest | MessageCountRequest): ChatRequest =>
  toRequest(body, call.header("anthropic-beta"));

const askedIn = ({ stop, thinking }: ChatRequest & { readonly thinking?: unknown }): Asked => ({
  thinking: isRecord(thinking) && thinking.type !== "disabled",
  stopSequences: Array.isArray(stop) ? stop : [],
});
