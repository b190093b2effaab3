import type { KeptResponses } from "../../assistants/kept-responses.ts";
import { newResponseId } from "../../assistants/response-ids.ts";
import type { ChatChunk } from "../../contract/chat.ts";
import type { ResponseAnswer, ResponseRequest } from "../../contract/responses.ts";
import { isRecord } from "../../lib/json.ts";
import { completeChat } from "../chat.ts";
import type { GatewayDeps, InferenceCall } from "../deps.ts";
import { eventBody } from "../over-chat/event-body.ts";
import { readChunk, recordsIn } from "../over-chat/read-chunk.ts";
import type { ResponseFacts } from "./answer.ts";
import { chatOf, itemsOf } from "./asked.ts";
import { ResponseEvents } from "./events.ts";

export interface ResponseDeps {
  readonly gateway: GatewayDeps;
  readonly kept: KeptResponses;
}

/** The story of a response: what was said before it is found again, a chat is carried out, and its answer told and kept. */
export async function respond(
  { gateway, kept }: ResponseDeps,
  call: InferenceCall,
  request: ResponseRequest,
): Promise<Response> {
  const { caller } = call;
  const previousId = request.previous_response_id ?? null;
  const before = previousId === null ? [] : await kept.conversation(caller, previousId);
  const input = await kept.resolved(caller, itemsOf(request.input));
  const facts: ResponseFacts = {
    id: newResponseId(),
    createdSeconds: Math.floor(gateway.clock.nowMs() / 1000),
    request,
    store: request.store !== false,
  };
  const keep = (answer: ResponseAnswer) => kept.keep(caller, previousId, input, answer);
  const events = new ResponseEvents(facts, customNames(request), keep);
  const answer = await completeChat(gateway, call, chatOf({ ...request, input: [...input] }, before));
  const { headers } = answer;
  if (request.stream === true) return new Response(eventBody(answer, events), { headers });
  events.take(asChunk(await answer.json()));
  return new Response(JSON.stringify(await events.finish()), { headers });
}

const customNames = ({ tools }: ResponseRequest): ReadonlySet<string> =>
  new Set((tools ?? []).flatMap(({ type, name }) => (type === "custom" && typeof name === "string" ? [name] : [])));

/** A whole answer is a stream of one piece. */
function asChunk(answer: unknown): ChatChunk {
  if (!isRecord(answer) || !Array.isArray(answer.choices)) return readChunk(null);
  const choices = recordsIn(answer.choices).map(({ message, ...choice }) => ({
    ...choice,
    delta: isRecord(message) ? { ...message, tool_calls: numbered(message.tool_calls) } : {},
  }));
  return readChunk({ ...answer, choices });
}

const numbered = (calls: unknown): object[] => recordsIn(calls).map((call, index) => ({ ...call, index }));
