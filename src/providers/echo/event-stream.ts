import { breakOff } from "./break-off.ts";
import { failureBody } from "./failure.ts";
import type { Fault } from "./fault.ts";

export interface StreamEvent {
  readonly data: unknown;
  /** Whether it carries a token: those are delayed and counted. */
  readonly isPiece: boolean;
}

export interface Pace {
  readonly fault: Fault | undefined;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** The request's own: an in-process caller aborts by it, as it would abort a `fetch`. */
  readonly signal: AbortSignal;
}

/**
 * Server-sent events made one at a time, only when the reader asks: a slow reader holds the maker back, one that
 * leaves ends it, and without a delay no timer is made.
 */
function eventStream(events: Iterable<StreamEvent>, { fault, sleep, signal }: Pace): ReadableStream<Uint8Array> {
  const iterator = events[Symbol.iterator]();
  const left = new AbortController();
  const delayMs = fault?.tokenDelayMs ?? 0;
  let piecesSent = 0;

  const send = (controller: ReadableStreamDefaultController<Uint8Array>, event: StreamEvent) => {
    if (left.signal.aborted) return;
    if (event.isPiece) piecesSent++;
    controller.enqueue(frame(JSON.stringify(event.data)));
  };

  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (signal.aborted) {
          iterator.return?.();
          return controller.error(signal.reason);
        }
        if (fault?.cutAfter !== undefined && piecesSent >= fault.cutAfter) {
          iterator.return?.();
          return breakOff(controller);
        }
        if (fault?.errorAfter !== undefined && piecesSent >= fault.errorAfter) {
          iterator.return?.();
          controller.enqueue(frame(JSON.stringify(failureBody(fault.error))));
          controller.close();
          return;
        }
        const next = iterator.next();
        if (next.done === true) {
          controller.enqueue(frame("[DONE]"));
          controller.close();
          return;
        }
        if (delayMs === 0 || !next.value.isPiece) return send(controller, next.value);
        return sleep(delayMs, AbortSignal.any([left.signal, signal])).then(
          () => send(controller, next.value),
          (reason: unknown) => {
            if (!left.signal.aborted) throw reason;
          },
        );
      },
      cancel() {
        left.abort();
        iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

export function eventStreamResponse(events: Iterable<StreamEvent>, pace: Pace): Response {
  return new Response(eventStream(events, pace), {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
  });
}

const encoder = new TextEncoder();

function frame(data: string): Uint8Array {
  return encoder.encode(`data: ${data}\n\n`);
}
