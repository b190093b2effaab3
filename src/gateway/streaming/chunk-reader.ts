import type { ChatChunk, Usage } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { isDone, NdjsonSplitter, SseSplitter } from "../../lib/sse.ts";
import { AwsEventStreamSplitter } from "../../providers/aws-event-stream.ts";
import type { ChunkDecoder, Framing, Provider, StreamEvent } from "../../providers/dialect.ts";
import { hasFailure, innerFailure } from "../../providers/openai-form/inner-failure.ts";
import { tellsEnd } from "../../providers/openai-form/tells-end.ts";
import { parseAnswer, requireRecord } from "../attempts/read-response.ts";
import type { Arrived, ChunkFastPath } from "./fast-path.ts";
import { JsonInsteadOfStream } from "./json-fallback.ts";
import { saidNothing } from "./relay.ts";
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

/** Makes chunks of an answer that came in one JSON text. */
type ReadWhole = (body: unknown) => readonly ChatChunk[];

/** Chunks in our own form out of any upstream's stream, a few at a time. */
export class ChunkSource {
  private readonly splitter: Splitter;
  private readonly body: JsonInsteadOfStream;
  private ended = false;
  /** A fault that was found behind chunks that are still to be sent. */
  private fault: { readonly thrown: unknown } | null = null;

  constructor(
    private readonly upstream: UpstreamReader,
    framing: Framing,
    private readonly decoder: ChunkDecoder,
    private readonly readWhole: ReadWhole,
    /** For chunks that are sent as they are. */
    private readonly shortcut: ChunkFastPath | null = null,
  ) {
    this.splitter = splitterFor(framing);
    // Lines of JSON are one JSON text, as long as there is one.
    this.body = new JsonInsteadOfStream(framing === "ndjson" ? "stream" : null);
    upstream.isWhole = () => decoder.isWhole;
    upstream.isOver = upstream.isWhole;
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

  /** What came before a fault is the caller's all the same, and a fault behind a whole answer is none. */
  private decode(bytes: Uint8Array | null): Piece[] {
    const pieces: Piece[] = [];
    try {
      if (bytes === null) this.finish(pieces);
      else if (!this.body.isStream && this.body.takes(bytes)) return pieces;
      else if (this.shortcut && this.splitter instanceof SseSplitter) {
        this.takeText(this.splitter, this.shortcut, { text: this.splitter.decode(bytes), at: 0 }, pieces);
      } else for (const event of this.splitter.push(bytes)) this.take(event, pieces);
    } catch (thrown) {
      if (this.decoder.isWhole) this.endAfterFault(pieces);
      else this.fault = { thrown };
    }
    return pieces;
  }

  private finish(pieces: Piece[]): void {
    if (this.body.isJson) this.takeBody(this.body.parse(), pieces);
    else {
      for (const event of this.splitter.end()) this.take(event, pieces);
      addAll(this.decoder.end(), pieces);
    }
  }

  private endAfterFault(pieces: Piece[]): void {
    this.ended = true;
    addAll(this.decoder.end(), pieces);
  }

  /** A list has the events of a stream in it. */
  private takeBody(body: unknown, pieces: Piece[]): void {
    if (!Array.isArray(body)) {
      addAll(this.readWhole(body), pieces);
      return;
    }
    for (const one of body) this.take({ name: null, data: JSON.stringify(one) }, pieces);
    addAll(this.decoder.end(), pieces);
  }

  /** Events of a kind that is known are not even cut out of the text that they came in. */
  private takeText(splitter: SseSplitter, shortcut: ChunkFastPath, arrived: Arrived, pieces: Piece[]): void {
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
    for (const chunk of chunks) {
      if (chunk.usage) this.upstream.isCounted = true;
      pieces.push(chunk);
    }
  }

  /** What the upstream has told of an answer that may break off here. */
  get usageSoFar(): Usage | null {
    return this.decoder.usageSoFar ?? null;
  }

  close(): void {
    this.upstream.close();
  }
}

/** One by one: a stack holds only some hundred thousand of them as arguments of one call. */
function addAll(chunks: readonly ChatChunk[], pieces: Piece[]): void {
  for (const chunk of chunks) pieces.push(chunk);
}

/** For an upstream that streams our own form where its chunks are needed as objects. */
export class OwnChunkDecoder implements ChunkDecoder {
  private done = false;
  private begun = false;
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
    const ends = isDone(data);
    if (ends && !this.begun) throw saidNothing();
    this.done ||= ends;
    if (this.done) return [];
    this.begun = true;
    const chunk = requireRecord(parseAnswer(data));
    if (name === "error" || hasFailure(chunk)) throw innerFailure(chunk, this.provider);
    if (!Array.isArray(chunk.choices) || !chunk.choices.every(isRecord)) {
      throw new GatewayError("upstream", "A chunk of the provider's stream has no choices.");
    }
    // Azure tells what its filter made of a text in choices that say nothing.
    const choices = chunk.choices.map((one) => (isRecord(one.delta) ? one : { ...one, delta: {} }));
    for (const one of choices) if (tellsEnd(one.finish_reason)) this.finished.add(one.index);
    return [{ ...chunk, choices, id: typeof chunk.id === "string" ? chunk.id : "" } as unknown as ChatChunk];
  }

  /** Not all upstreams of this form say `[DONE]`. */
  end(): readonly ChatChunk[] {
    if (this.isWhole) return [];
    throw new GatewayError("upstream", "The provider's stream ended before it was whole.");
  }
}
