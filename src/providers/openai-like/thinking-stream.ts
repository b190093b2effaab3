import type { ChatChunk, ChatDelta, FinishReason } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { failureMessage } from "../classify.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { tellsEnd } from "../openai-form/tells-end.ts";
import { finishReason, pruneUsage, tidyAnswer } from "./thinking-parts.ts";

/** A stream whose deltas may be lists of thoughts and text, and whose usage comes with the last of them. */
export class ThinkingStream implements ChunkDecoder {
  private id: string | null = null;
  private readonly begun = new Set<number>();
  private readonly finished = new Set<number>();

  constructor(
    private readonly facts: AnswerFacts,
    private readonly title: string,
    private readonly asked: number,
  ) {}

  push({ data }: StreamEvent): readonly ChatChunk[] {
    if (data.trim() === "[DONE]") return [];
    const event = this.parse(data);
    if (this.id === null) this.id = typeof event.id === "string" ? event.id : this.facts.id;
    const listed: readonly unknown[] = Array.isArray(event.choices) ? event.choices : [];
    const chunks = listed.filter(isRecord).flatMap((choice) => this.chunksOf(choice));
    const usage = pruneUsage(event.usage);
    return usage ? [...chunks, { ...this.head(), choices: [], usage }] : chunks;
  }

  end(): readonly ChatChunk[] {
    if (this.finished.size === 0) throw new GatewayError("upstream", `${this.title}'s stream broke off.`);
    return [];
  }

  get isWhole(): boolean {
    return this.finished.size >= this.asked;
  }

  private parse(data: string): Record<string, unknown> {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch (cause) {
      throw new GatewayError("upstream", `${this.title}'s stream has an event that is no JSON.`, { cause });
    }
    if (!isRecord(event)) throw new GatewayError("upstream", `${this.title}'s stream has an event that is no object.`);
    if (!("error" in event) && event.object !== "error") return event;
    throw new GatewayError("upstream", `${this.title}: ${failureMessage(data) || "the stream failed."}`);
  }

  /** What a choice says and that it ends may come together; our clients are told one after the other. */
  private chunksOf(choice: Record<string, unknown>): ChatChunk[] {
    const index = typeof choice.index === "number" ? choice.index : 0;
    const { role: _role, ...delta } = tidyAnswer(isRecord(choice.delta) ? choice.delta : {});
    const chunks: ChatChunk[] = [];
    if (!this.begun.has(index)) {
      this.begun.add(index);
      chunks.push(this.chunk(index, { role: "assistant", ...delta }, null));
    } else if (says(delta)) chunks.push(this.chunk(index, delta, null));
    if (tellsEnd(choice.finish_reason)) {
      this.finished.add(index);
      chunks.push(this.chunk(index, {}, finishReason(choice.finish_reason)));
    }
    return chunks;
  }

  private chunk(index: number, delta: ChatDelta, finish_reason: FinishReason | null): ChatChunk {
    return { ...this.head(), choices: [{ index, delta, finish_reason }] };
  }

  private head() {
    const { createdSeconds: created, model } = this.facts;
    return { id: this.id ?? this.facts.id, object: "chat.completion.chunk", created, model } as const;
  }
}

const says = (delta: ChatDelta): boolean =>
  Object.values(delta).some((value) => value !== "" && value !== null && value !== undefined);
