import { gatewayErrorBody } from "../contract/error-body.ts";
import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";
import type { Logger } from "../lib/log.ts";
import { SSE_DONE, SseSplitter, sseFrame } from "../lib/sse.ts";
import { answerHeaders } from "./answer-headers.ts";
import type { AnswerContext } from "./answer-json.ts";
import type { ChatCall } from "./chat-call.ts";

export interface StreamContext extends AnswerContext {
  readonly call: ChatCall;
  readonly log: Logger;
}

/**
 * Relays a stream event by event. The first event is awaited before the answer begins: a failure up to then is a plain
 * error answer. Later ones become one error frame, and the stream ends without `[DONE]`.
 */
export async function answerStream(response: Response, context: StreamContext): Promise<Response> {
  if (!response.body) throw new GatewayError("upstream", "The provider sent no stream.");
  const frames = readFrames(response.body, context);
  const first = await frames.next().catch((thrown) => {
    throw thrown instanceof GatewayError ? thrown : broken(thrown);
  });
  return new Response(toBody(first, frames, context), {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      ...answerHeaders(context.deployment),
    },
  });
}

/** Pull-based, so that a slow reader slows the upstream; a client that leaves ends the generator and with it the upstream. */
function toBody(
  first: IteratorResult<Uint8Array>,
  frames: AsyncGenerator<Uint8Array>,
  context: StreamContext,
): ReadableStream<Uint8Array> {
  let next: Promise<IteratorResult<Uint8Array>> | null = Promise.resolve(first);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const frame = await (next ?? frames.next());
        next = null;
        if (frame.done) controller.close();
        else controller.enqueue(frame.value);
      } catch (thrown) {
        const error = thrown instanceof GatewayError ? thrown : broken(thrown);
        context.log.warn({ callId: context.call.callId, err: error.cause ?? error }, "the stream broke off");
        controller.enqueue(sseFrame(JSON.stringify(gatewayErrorBody(error))));
        controller.close();
      }
    },
    async cancel() {
      await frames.return(undefined);
    },
  });
}

async function* readFrames(body: ReadableStream<Uint8Array>, context: StreamContext): AsyncGenerator<Uint8Array> {
  const splitter = new SseSplitter();
  let done = false;
  for await (const chunk of body) {
    for (const data of splitter.push(chunk)) {
      yield frame(data, context.model);
      done ||= data === SSE_DONE;
    }
  }
  for (const data of splitter.end()) {
    yield frame(data, context.model);
    done ||= data === SSE_DONE;
  }
  if (!done) throw broken(new Error("the upstream ended without [DONE]"));
}

function frame(data: string, model: string): Uint8Array {
  if (data === SSE_DONE) return sseFrame(data);
  const event = parseEvent(data);
  if (isRecord(event.error)) {
    const message =
      typeof event.error.message === "string" ? event.error.message : "The provider failed in mid-stream.";
    throw new GatewayError("upstream", message);
  }
  event.model = model;
  return sseFrame(JSON.stringify(event));
}

function parseEvent(data: string): Record<string, unknown> {
  try {
    const event: unknown = JSON.parse(data);
    if (isRecord(event)) return event;
  } catch (cause) {
    throw new GatewayError("upstream", "The provider's stream is not valid.", { cause });
  }
  throw new GatewayError("upstream", "The provider's stream is not valid.");
}

const broken = (cause: unknown): GatewayError =>
  new GatewayError("upstream", "The provider's stream broke off.", { cause });
