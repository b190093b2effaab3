import { gatewayErrorBody } from "../../contract/error-body.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { sseText } from "../../lib/sse.ts";
import { CLIENT_DISCONNECTED } from "../metering/outcome.ts";

/** Whole events, as text or as the bytes that are sent, in one piece or in some. */
export type Frames = Piece | readonly Piece[];
type Piece = string | Uint8Array;

/** A stream that is pulled: `next` gives what is to be sent, or null at its end; `close` lets go of the upstream. */
export interface FrameSource {
  next(): Promise<Frames | null>;
  /** What `next` gave last ends the answer. */
  readonly finished: boolean;
  close(): void;
}

export function textOf(frames: Frames): string {
  if (typeof frames === "string") return frames;
  return frames instanceof Uint8Array ? decoder.decode(frames) : frames.map(textOf).join("");
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
  /** Runs `stop` when the server closes the client's connection. Returns what cancels that. */
  readonly onClosing: (stop: () => void) => (() => void) | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8");

/**
 * The body of a streamed answer. The first frames are awaited before the answer begins, so that a failure up to then is a
 * plain error answer. A later one becomes one error frame, and the stream ends without `[DONE]`.
 */
export async function openStream(
  source: FrameSource,
  facts: StreamFacts,
  accounting: StreamMeter,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const first = await source.next();
    const ended = note(source, accounting, first);
    if (ended) await ended;
    return new ReadableStream<Uint8Array>(new StreamBody(source, facts, accounting, first));
  } catch (thrown) {
    // Nothing has been sent: whoever sent the call decides whether it is tried elsewhere.
    source.close();
    throw streamError(thrown);
  }
}

/** Frames may be sent; the last of them only once the call is in the books, which is waited for. */
function note(source: FrameSource, accounting: StreamMeter, frames: Frames | null): Promise<void> | null {
  accounting.begin();
  if (frames !== null) accounting.recorder?.hear(textOf(frames));
  if (frames === null || source.finished) return accounting.succeed();
  accounting.progress();
  return null;
}

class StreamBody {
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  private left = false;
  private wasInterrupted = false;
  private readonly ignoreClosing: (() => void) | undefined;

  constructor(
    private readonly source: FrameSource,
    private readonly facts: StreamFacts,
    private readonly accounting: StreamMeter,
    private first: Frames | null,
  ) {
    this.ignoreClosing = facts.onClosing(() => void this.breakOff(interrupted()));
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    this.send(this.first);
    this.first = null;
  }

  // Pulled only when the reader has room: a slow reader slows the upstream.
  pull(): Promise<void> {
    return this.source.next().then(this.deliver, this.breakOff);
  }

  cancel(): Promise<void> {
    this.left = true;
    this.ignoreClosing?.();
    const ended = this.accounting.fail(CLIENT_DISCONNECTED);
    this.source.close();
    return ended;
  }

  // These two are made once for each stream: an async function would make five objects for each of its chunks.
  private readonly deliver = (frames: Frames | null): void | Promise<void> => {
    if (this.wasInterrupted) return;
    try {
      const ended = note(this.source, this.accounting, frames);
      if (ended) return this.sendLast(ended, frames);
      this.send(frames);
    } catch (thrown) {
      return this.breakOff(thrown);
    }
  };

  private async sendLast(ended: Promise<void>, frames: Frames | null): Promise<void> {
    try {
      await ended;
      this.send(frames);
    } catch (thrown) {
      await this.breakOff(thrown);
    }
  }

  private readonly breakOff = async (thrown: unknown): Promise<void> => {
    // An interruption closes the source, and so fails the read that is in progress.
    if (this.wasInterrupted) return;
    this.wasInterrupted = true;
    const error = streamError(thrown);
    await this.accounting.fail(this.left ? CLIENT_DISCONNECTED : error);
    if (this.left) return;
    const { callId, log, clean } = this.facts;
    const shown = new GatewayError(error.kind, clean(error.message));
    log.warn({ callId, kind: error.kind, reason: shown.message }, "a stream broke off");
    this.enqueue(sseText(JSON.stringify(gatewayErrorBody(shown))));
    this.end();
  };

  private send(frames: Frames | null): void {
    if (frames !== null) this.enqueue(frames);
    if (frames === null || this.source.finished) this.end();
  }

  private enqueue(frames: Frames): void {
    if (typeof frames === "string") this.controller?.enqueue(encoder.encode(frames));
    else if (frames instanceof Uint8Array) this.controller?.enqueue(frames);
    else for (const piece of frames) this.enqueue(piece);
  }

  private end(): void {
    this.ignoreClosing?.();
    this.source.close();
    this.controller?.close();
  }
}

const interrupted = (): GatewayError =>
  new GatewayError("interrupted", "The server stopped before the response was complete. Send the request again.");

/** Whatever a stream breaks off with, as one of our errors. */
export const streamError = (thrown: unknown): GatewayError =>
  thrown instanceof GatewayError
    ? thrown
    : new GatewayError("upstream", "The provider's stream broke off.", { cause: thrown });

export const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
} as const;
