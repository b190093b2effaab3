import type { Fields, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import { completeChat } from "../../operations/chat.ts";
import { countPrompt } from "../../operations/count-tokens.ts";
import { eventBody } from "../shared/event-body.ts";
import { normalizeNames } from "./field-names.ts";
import { asEvents, asList, GeneratedEvents } from "./generated-events.ts";
import { showsThoughts } from "./generation-config.ts";
import { toChat } from "./to-chat.ts";
import { toGenerated } from "./to-generated.ts";

/** How an answer comes: whole, as events, or as a list that is streamed. */
export type Delivery = "whole" | "events" | "list";

/** The story of a call of Google's interface: a chat like any other, asked and answered in Google's form. */
export async function answerContent(
  deps: GatewayDeps,
  call: InferenceCall,
  body: Fields,
  delivery: Delivery,
): Promise<Response> {
  const request = toChat(call.model, body, delivery !== "whole");
  const answer = await completeChat(deps, call, request);
  const isShown = showsThoughts(request);
  const headers = new Headers(answer.headers);
  headers.delete("content-length");
  if (delivery === "whole") {
    return new Response(JSON.stringify(toGenerated(await answer.json(), isShown, call.responseMeta.estimate)), {
      headers,
    });
  }
  if (delivery === "list") headers.set("content-type", "application/json; charset=utf-8");
  const framing = delivery === "list" ? asList() : asEvents();
  return new Response(eventBody(answer, new GeneratedEvents(framing, isShown, call.responseMeta)), { headers });
}

/** Counted by the provider's own counter where it has one. The request may stand whole in a field of its own. */
export async function countContent(deps: GatewayDeps, call: InferenceCall, body: Fields): Promise<number> {
  const { generateContentRequest, generate_content_request: other, ...rest } = body;
  const request = { ...rest, ...normalizeNames(generateContentRequest ?? other, "generateContentRequest") };
  return (await countPrompt(deps, call, toChat(call.model, request, false))).total_tokens;
}
