import type { ChatChunk } from "../../contract/chat.ts";
import { SSE_DONE, sseText } from "../../lib/sse.ts";
import { withoutUpstreamPrices } from "../metering/upstream-prices.ts";
import type { ChunkSource, Piece } from "./chunk-reader.ts";
import type { StreamNotes } from "./relay.ts";
import type { FrameSource } from "./write-stream.ts";

export interface ChunkNotes extends StreamNotes {
  /** Where the upstream's count so far can be looked up, should the answer end before it is whole. */
  follow(source: { readonly usageSoFar: unknown }): void;
}

export interface ChunkFrameOptions {
  readonly includeUsage: boolean;
  readonly notes: ChunkNotes;
  /** What is sent in place of a chunk; null for nothing. */
  readonly render: (chunk: ChatChunk) => object | null;
}

/** Chunks as events, with `[DONE]` at the end. The chunk with the usage goes out only where it was asked for. */
export class ChunkFrames implements FrameSource {
  finished = false;

  constructor(
    private readonly chunks: ChunkSource,
    private readonly options: ChunkFrameOptions,
  ) {
    options.notes.follow(chunks);
  }

  async next(): Promise<string | null> {
    while (!this.finished) {
      const pieces = await this.chunks.next();
      if (pieces === null) {
        this.finished = true;
        return sseText(SSE_DONE);
      }
      let text = "";
      for (const piece of pieces) text += this.frame(piece);
      if (text !== "") return text;
    }
    return null;
  }

  close(): void {
    this.chunks.close();
  }

  private frame(chunk: Piece): string {
    if (typeof chunk === "string") {
      this.options.notes.delivered.addFrame(chunk);
      return chunk;
    }
    if (chunk.usage) this.options.notes.report(chunk.usage, chunk);
    this.options.notes.delivered.addChunk(chunk);
    if (chunk.choices.length === 0 && !this.options.includeUsage) return "";
    const rendered = this.options.render(chunk.usage ? withoutUpstreamPrices(chunk) : chunk);
    return rendered === null ? "" : sseText(JSON.stringify(rendered));
  }
}
