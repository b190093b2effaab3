import { gatewayErrorBody } from "../contract/error-body.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Logger } from "../lib/log.ts";
import { sseText } from "../lib/sse.ts";
import { CALLER_LEFT } from "./metering/outcome.ts";

/** A stream that is pulled: `next` gives text to send, or null at its end; `close` lets go of the upstream. */
export interface FrameSource {
  next(): Promise<string | null>;
  /** What `next` gave last ends the answer. */
  readonly finished: boolean;
  close(): void;
}

/** The books' side of a stream. */
export interface StreamMeter {
  readonly recorder?: StreamRecorder | null;
  begin(): void;
  progress(): void;
  succeed(): Promise<void>;
  fail(thrown: unknown): Promise<void>;
}

/** Somebody who wants a copy of a stream. */
export interface StreamRecorder {
  /** Each piece, before it is sent, and the last one before the call ends in the books. */
  hear(text: string): void;
}

export interface StreamFacts {
  readonly callId: string;
  readonly log: Logger;
  /** Takes secrets out of an upstream's words. */
  readonly clean: (text: string) => string;
}

const encoder = new TextEncoder();

/**
 * The body of a streamed answer. The first frames are awaited before the answer begins, so that a failure up to then is a
 * plain error answer. A later one becomes one error frame, and the stream ends without `[DONE]`.
 */
export async function openStream(
  source: FrameSource,
  { callId, log, clean }: StreamFacts,
  meter: StreamMeter,
): Promise<ReadableStream<Uint8Array>> {
  let first: string | null;
  let left = false;
  /** Frames may be sent; the last of them only once the call is in the books, which is waited for. */
  const note = (text: string | null): Promise<void> | null => {
    meter.begin();
    if (text !== null) meter.recorder?.hear(text);
    if (text === null || source.finished) return meter.succeed();
    meter.progress();
    return null;
  };
  try {
    first = await source.next();
    const ended = note(first);
    if (ended) await ended;
  } catch (thrown) {
    // Nothing has been sent: whoever sent the call decides whether it is tried elsewhere.
    source.close();
    throw toError(thrown);
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
        const ended = note(text);
        if (ended) await ended;
        if (text !== null) return controller.enqueue(encoder.encode(text));
      } catch (thrown) {
        const error = toError(thrown);
        await meter.fail(left ? CALLER_LEFT : error);
        if (left) return;
        const shown = new GatewayError(error.kind, clean(error.message));
        log.warn({ callId, kind: error.kind, reason: shown.message }, "a stream broke off");
        controller.enqueue(encoder.encode(sseText(JSON.stringify(gatewayErrorBody(shown)))));
      }
      source.close();
      controller.close();
    },
    cancel() {
      left = true;
      const ended = meter.fail(CALLER_LEFT);
      source.close();
      return ended;
    },
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
