import type { Run } from "../../../assistants/run-records.ts";
import type { KeyCaller } from "../../../contract/caller.ts";
import type { ChatChunk, ChatRequest } from "../../../contract/chat.ts";
import type { GatewayDeps, InferenceCall, OnCost } from "../../call/gateway.ts";
import { completeChat } from "../../operations/chat.ts";
import { internalCall } from "../../pipeline/internal-call.ts";
import { chunksOf } from "../shared/chunks.ts";

const ENDPOINT = "/v1/threads/{thread_id}/runs";

/** A call of a model that a run makes: the same way as any other, in the name of its key. */
function callOfRun(
  deps: GatewayDeps,
  caller: KeyCaller,
  { settings }: Run,
  signal: AbortSignal,
  onCost: OnCost,
): InferenceCall {
  return internalCall(deps, {
    caller,
    model: settings.model,
    signal,
    source: { endpoint: ENDPOINT, ...settings.source },
    headers: settings.source.headers,
    onCost,
  });
}

/** One chat call of a run, as it is streamed. */
export async function callModel(
  deps: GatewayDeps,
  caller: KeyCaller,
  run: Run,
  request: ChatRequest,
  signal: AbortSignal,
  onCost: OnCost,
): Promise<AsyncIterable<ChatChunk>> {
  const response = await completeChat(deps, callOfRun(deps, caller, run, signal, onCost), request);
  return chunksOf(response, signal);
}
