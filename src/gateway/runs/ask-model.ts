import type { Run } from "../../assistants/run-records.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import type { ChatChunk, ChatRequest } from "../../contract/chat.ts";
import { ERRORS, type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { SSE_DONE, SseSplitter } from "../../lib/sse.ts";
import { completeChat } from "../chat.ts";
import type { GatewayDeps, InferenceCall, OnCost } from "../deps.ts";
import { ownCall } from "../own-call.ts";
import { readChunk } from "./read-chunk.ts";

const ENDPOINT = "/v1/threads/{thread_id}/runs";

/** A call of a model that a run makes: the same way as any other, in the name of its key. */
function callOfRun(
  deps: GatewayDeps,
  caller: KeyCaller,
  { settings }: Run,
  signal: AbortSignal,
  onCost: OnCost,
): InferenceCall {
  return ownCall(deps, {
    caller,
    model: settings.model,
    signal,
    source: { endpoint: ENDPOINT, ...settings.source },
    onCost,
  });
}

/** One chat call of a run, as it is streamed. */
export async function askModel(
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

/** Reading stops, and the upstream with it, as soon as the signal says so; it is over when the call is in the books. */
async function* chunksOf({ body }: Response, signal: AbortSignal): AsyncGenerator<ChatChunk> {
  const splitter = new SseSplitter();
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  if (!reader) return;
  let left: Promise<void> | null = null;
  const leave = () => {
    left ??= reader.cancel().catch(() => undefined);
    return left;
  };
  signal.addEventListener("abort", leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      for (const { data } of done ? splitter.end() : splitter.push(value)) {
        if (data === SSE_DONE) return;
        yield chunkOf(JSON.parse(data));
      }
      if (done) throw new GatewayError("upstream", "The provider's stream broke off.");
    }
  } finally {
    signal.removeEventListener("abort", leave);
    await leave();
  }
}

function chunkOf(data: unknown): ChatChunk {
  if (isRecord(data) && isRecord(data.error)) throw errorOf(data.error);
  return readChunk(data);
}

/** The frame that ends a stream which broke: an error of ours, in the form in which callers see it. */
function errorOf({ code, message }: Record<string, unknown>): GatewayError {
  const known = Object.entries(ERRORS).find(([, spec]) => spec.code === code)?.[0] as ErrorKind | undefined;
  return new GatewayError(
    known ?? "upstream",
    typeof message === "string" ? message : "The provider's stream broke off.",
  );
}
