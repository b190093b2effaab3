import type { ChatChunk } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import { eventsOf, SSE_DONE, sseText } from "../../lib/sse.ts";
import { beginsText } from "../../providers/anthropic/own-form.ts";
import { type FrameSource, type Frames, textOf } from "./write-stream.ts";

/** What a stream has said so far, as far as another model could go on from it. */
export interface PartialResponse {
  /** Empty where it broke off before the first word. */
  readonly text: string;
  /** Of the chunks that were sent: those that follow carry the same. */
  readonly id: string;
  readonly created: number;
}

/** Who goes on: its frames, and the one that says so. */
export interface Resumed {
  readonly source: FrameSource;
  readonly notice: object;
}

/**
 * A stream that breaks off goes on elsewhere, as long as it has said nothing but plain text. The caller is told by a chunk
 * without choices.
 */
export class ResumedFrames implements FrameSource {
  private readonly said = new SaidText();

  constructor(
    private source: FrameSource,
    private readonly resume: (failure: GatewayError, soFar: PartialResponse) => Promise<Resumed | null>,
  ) {}

  get finished(): boolean {
    return this.source.finished;
  }

  async next(): Promise<Frames | null> {
    try {
      const frames = await this.source.next();
      if (frames !== null) this.said.add(textOf(frames));
      return frames;
    } catch (thrown) {
      const soFar = this.said.soFar;
      if (soFar === null || !(thrown instanceof GatewayError)) throw thrown;
      this.source.close();
      const resumed = await this.resume(thrown, soFar);
      if (resumed === null) throw thrown;
      this.source = resumed.source;
      return sseText(JSON.stringify(resumed.notice));
    }
  }

  close(): void {
    this.source.close();
  }
}

/** Reads along. */
class SaidText {
  private text = "";
  private first: { readonly id: string; readonly created: number } | null = null;
  private isPlain = true;

  add(frames: string): void {
    for (const { data } of eventsOf(frames)) {
      if (data === SSE_DONE) continue;
      const chunk = recordIn(data) as ChatChunk | null;
      // What is damaged passes as it came, and nobody can tell what it says.
      if (chunk) this.addChunk(chunk);
      else this.isPlain = false;
    }
  }

  /** Null where another model could not go on: nothing was sent, or more than text, or all of it. */
  get soFar(): PartialResponse | null {
    return this.first && this.isPlain ? { text: this.text, ...this.first } : null;
  }

  private addChunk(chunk: ChatChunk): void {
    this.first ??= { id: chunk.id, created: chunk.created };
    // Some upstreams tell other things in between, in chunks without any.
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) {
      const { index, delta, finish_reason: finish } = isRecord(choice) ? choice : ({} as Record<string, unknown>);
      const said = isRecord(delta) ? delta : {};
      const { content, role, refusal, anthropic_block: block, ...more } = said;
      if (typeof content === "string") this.text += content;
      const hasMore = Object.values(more).some((value) => value !== null && value !== undefined);
      if (index !== 0 || finish || refusal || hasMore || (block && !beginsText(block))) this.isPlain = false;
    }
  }
}
