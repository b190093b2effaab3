import type { ChatChunk, Usage } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";
import { isDone, NdjsonSplitter, SseSplitter } from "../lib/sse.ts";
import { AwsEventStreamSplitter } from "../providers/aws-event-stream.ts";
import type { ChunkDecoder, Framing, Provider, StreamEvent } from "../providers/dialect.ts";
import { hasFailure, innerFailure } from "../providers/openai-form/inner-failure.ts";
import { parseAnswer, requireRecord } from "./read-answer.ts";
import type { Arrived, TextShortcut } from "./text-shortcut.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

interface Splitter {
  push(chunk: Uint8Array): readonly StreamEvent[];
  end(): readonly StreamEvent[];
}

const splitterFor = (framing: Framing): Splitter => {
  if (framing === "ndjson") return new NdjsonSplitter();
  return framing === "sse" ? new SseSplitter() : new AwsEventStreamSplitter();
};

/** A chunk, or the event that is sent for one. */
export type Piece = ChatChunk | string;

/** Chunks in our own form out of any upstream's stream, a few at a time. */
export class ChunkSource {
  private readonly splitter: Splitter;
  private ended = false;
  /** A fault that was found behind chunks that are still to be sent. */
  private fault: { readonly thrown: unknown } | null = null;

  constructor(
    private readonly upstream: UpstreamReader,
    framing: Framing,
    private readonly decoder: ChunkDecoder,
    /** For chunks that are sent as they are. */
    private readonly shortcut: TextShortcut | null = null,
  ) {
    this.splitter = splitterFor(framing);
  }

  /** At least one chunk, or null at the end. */
  async next(): Promise<readonly Piece[] | null> {
    for (;;) {
      if (this.fault) throw this.fault.thrown;
      if (this.ended) return null;
      const chunks = await this.upstream.read().then(this.taken, this.broken);
      if (chunks.length > 0) return chunks;
    }
  }

  private readonly taken = (bytes: Uint8Array | null): readonly Piece[] => {
    this.ended = bytes === null;
    return this.decode(bytes);
  };

  /** A connection that breaks when all was said is an end like any other. */
  private readonly broken = (thrown: unknown): readonly Piece[] => {
    if (this.upstream.isAborted) throw thrown;
    const chunks = this.taken(null);
    if (this.fault) throw thrown;
    return chunks;
  };

  /** What came before a fault is the caller's all the same. */
  private decode(bytes: Uint8Array | null): Piece[] {
    const pieces: Piece[] = [];
    try {
      if (bytes === null) {
        for (const event of this.splitter.end()) this.take(event, pieces);
        pieces.push(...this.decoder.end());
      } else if (this.shortcut && this.splitter instanceof SseSplitter) {
        this.takeText(this.splitter, this.shortcut, { text: this.splitter.decode(bytes), at: 0 }, pieces);
      } else for (const event of this.splitter.push(bytes)) this.take(event, pieces);
    } catch (thrown) {
      this.fault = { thrown };
    }
    return pieces;
  }

  /** Events of a kind that is known are not even cut out of the text that they came in. */
  private takeText(splitter: SseSplitter, shortcut: TextShortcut, arrived: Arrived, pieces: Piece[]): void {
    const { text } = arrived;
    while (arrived.at < text.length) {
      const passed = splitter.isBetweenEvents ? shortcut.passAll(arrived) : "";
      if (passed !== "") {
        pieces.push(passed);
        continue;
      }
      const blank = text.indexOf("\n\n", arrived.at);
      const end = blank < 0 ? text.length : blank + 2;
      for (const event of splitter.pushText(text.slice(arrived.at, end))) this.take(event, pieces);
      arrived.at = end;
    }
  }

  private take(event: StreamEvent, pieces: Piece[]): void {
    const ready = this.shortcut?.pass(event);
    if (typeof ready === "string") {
      pieces.push(ready);
      return;
    }
    const chunks = this.decoder.push(event);
    if (this.shortcut && this.decoder.textLeavesNoTrace) this.shortcut.learn(event, chunks);
    for (const chunk of chunks) pieces.push(chunk);
  }

  /** What the upstream has told of an answer that may break off here. */
  get usageSoFar(): Usage | null {
    return this.decoder.usageSoFar ?? null;
  }

  close(): void {
    this.upstream.close();
  }
}

/** For an upstream that streams our own form where its chunks are needed as objects. */
export class OwnChunkDecoder implements ChunkDecoder {
  private done = false;
  private readonly finished = new Set<unknown>();

  constructor(
    private readonly choices: number,
    private readonly provider: Pick<Provider, "classify">,
  ) {}

  /** Also where every choice has said how it ended, and nobody that this is all. */
  get isWhole(): boolean {
    return this.done || this.finished.size >= this.choices;
  }

  push({ name, data }: StreamEvent): readonly ChatChunk[] {
    this.done ||= isDone(data);
    if (this.done) return [];
    const chunk = requireRecord(parseAnswer(data));
    if (name === "error" || hasFailure(chunk)) throw innerFailure(chunk, this.provider);
    const isWhole = Array.isArray(chunk.choices) && chunk.choices.every((one) => isRecord(one) && isRecord(one.delta));
    if (!isWhole) throw new GatewayError("upstream", "A chunk of the provider's stream has no choices.");
    for (const one of chunk.choices as ChatChunk["choices"]) if (one.finish_reason) this.finished.add(one.index);
    return [{ ...chunk, id: typeof chunk.id === "string" ? chunk.id : "" } as unknown as ChatChunk];
  }

  /** Not all upstreams of this form say `[DONE]`. */
  end(): readonly ChatChunk[] {
    if (this.isWhole) return [];
    throw new GatewayError("upstream", "The provider's stream ended before it was whole.");
  }
}
