import { gatewayErrorBody } from "../contract/error-body.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Logger } from "../lib/log.ts";
import { sseText } from "../lib/sse.ts";

/** A stream that is pulled: `next` gives text to send, or null at its end; `close` lets go of the upstream. */
export interface FrameSource {
  next(): Promise<string | null>;
  close(): void;
}

const encoder = new TextEncoder();

/**
 * The body of a streamed answer. The first frames are awaited before the answer begins, so that a failure up to then is a
 * plain error answer. A later one becomes one error frame, and the stream ends without `[DONE]`.
 */
export async function openStream(
  source: FrameSource,
  callId: string,
  log: Logger,
): Promise<ReadableStream<Uint8Array>> {
  let first: string | null;
  try {
    first = await source.next();
  } catch (thrown) {
    source.close();
    throw thrown;
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first !== null) controller.enqueue(encoder.encode(first));
      else controller.close();
    },
    // Pulled only when the reader has room: a slow reader slows the upstream.
    async pull(controller) {
      try {
        const text = await source.next();
        if (text !== null) return controller.enqueue(encoder.encode(text));
      } catch (thrown) {
        const error = toError(thrown);
        log.warn({ callId, kind: error.kind, err: error.cause ?? error }, "a stream broke off");
        controller.enqueue(encoder.encode(sseText(JSON.stringify(gatewayErrorBody(error)))));
      }
      source.close();
      controller.close();
    },
    // The client has left.
    cancel: () => source.close(),
  });
}

const toError = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError
    ? thrown
    : new GatewayError("upstream", "The provider's stream broke off.", { cause: thrown });

export const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
