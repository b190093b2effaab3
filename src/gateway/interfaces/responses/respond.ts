import type { BackgroundResponses } from "../../../assistants/background-responses.ts";
import type { Conversations } from "../../../assistants/conversations.ts";
import type { KeptResponses } from "../../../assistants/kept-responses.ts";
import { newResponseId } from "../../../assistants/response-ids.ts";
import type { ChatRequest } from "../../../contract/chat.ts";
import type { ResponseAnswer, ResponseRequest } from "../../../contract/responses.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import { completeChat } from "../../operations/chat.ts";
import { countPrompt } from "../../operations/count-tokens.ts";
import { resolveFileIds } from "../../operations/file-references.ts";
import { eventBody } from "../shared/event-body.ts";
import { asChunk } from "./as-chunk.ts";
import { queue } from "./background.ts";
import type { ResponseFacts } from "./create-response.ts";
import { ResponseEvents } from "./events.ts";
import { putBehind, type SaidDeps, withHistory } from "./history.ts";
import { itemsOf } from "./to-chat.ts";
import { ToolNames } from "./tool-names.ts";

export interface ResponseDeps {
  readonly gateway: GatewayDeps;
  readonly kept: KeptResponses;
  readonly conversations: Conversations;
  readonly background: BackgroundResponses;
}

/** The story of a response: what was said before it is found again, a chat is carried out, and its answer told and kept. */
export async function respond(deps: ResponseDeps, call: InferenceCall, request: ResponseRequest): Promise<Response> {
  const { gateway, kept, conversations } = deps;
  const { caller } = call;
  const previousId = request.previous_response_id ?? null;
  const { input, chat } = await readAsked(deps, call, request);
  const facts: ResponseFacts = {
    id: newResponseId(),
    createdSeconds: Math.floor(gateway.clock.nowMs() / 1000),
    request,
    store: request.store !== false,
  };
  if (request.background === true) return queue(deps, call, facts, previousId, input);
  const keep = async (answer: ResponseAnswer) =>
    kept.keep(caller, previousId, input, await putBehind({ conversations, owner: caller }, request, input, answer));
  const events = new ResponseEvents(facts, ToolNames.of(request, input), keep);
  const answer = await completeChat(gateway, call, withSession(chat, call, request));
  const { headers } = answer;
  if (request.stream === true) return new Response(eventBody(answer, events), { headers });
  events.take(asChunk(await answer.json()));
  return new Response(JSON.stringify(await events.finish()), { headers });
}

/** Coding agents send the session as `prompt_cache_key`. It counts where nothing else names one. */
function withSession(
  chat: ChatRequest,
  call: Pick<InferenceCall, "header">,
  { prompt_cache_key: key }: Pick<ResponseRequest, "prompt_cache_key">,
): ChatRequest {
  const { litellm_session_id: session, litellm_trace_id: trace }: Fields = chat;
  const isNamed = session != null || trace != null || SESSION_HEADERS.some((name) => call.header(name) !== null);
  return isNamed || !key ? chat : ({ ...chat, litellm_session_id: key } as ChatRequest);
}

const SESSION_HEADERS = ["x-gw-session-id", "x-gw-trace-id"] as const;

/** How many tokens the model would be asked with; counted by the provider's own counter where it has one. */
export async function countInput(
  deps: Omit<ResponseDeps, "background">,
  call: InferenceCall,
  request: ResponseRequest,
): Promise<number> {
  const { gateway } = deps;
  const { chat } = await readAsked(deps, call, request);
  const whole = await (resolveFileIds(gateway, call.caller, chat) ?? chat);
  return (await countPrompt(gateway, call, whole)).total_tokens;
}

/** What is put in, and the chat that it makes with all that was said before. */
async function readAsked(deps: SaidDeps, { caller }: InferenceCall, request: ResponseRequest) {
  const input = await deps.kept.resolved(caller, itemsOf(request.input));
  return { input, chat: await withHistory(deps, caller, request, input) };
}
