import type { ChatChunk, ChatDelta, ChatRequest, FinishReason, Usage } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { parseJson } from "../../lib/json.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { type Candidate, readGenerated } from "./candidate.ts";
import { type CallStyle, Choice, callStyle } from "./choice.ts";
import { OWN_REASON } from "./own-form.ts";
import { usageOf } from "./usage.ts";

/** Every event is a small answer of its own; the stream has no last word but its end. */
export class GeminiStream implements ChunkDecoder {
  readonly textLeavesNoTrace = true;
  private readonly choices = new Map<number, Choice>();
  private readonly style: CallStyle;
  private readonly asked: number;
  private usage: Record<string, unknown> | null = null;
  private isUsageSent = false;

  constructor(
    request: ChatRequest,
    private readonly facts: AnswerFacts,
    private readonly title: string,
  ) {
    this.style = callStyle(request);
    this.asked = request.n ?? 1;
  }

  push(event: StreamEvent): readonly ChatChunk[] {
    if (event.data.trim() === "" || event.data === "[DONE]") return [];
    const { candidates, usage } = readGenerated(this.parse(event.data), this.title);
    // Every event counts all tokens up to it, and may leave out what has not changed.
    if (usage !== null) this.usage = { ...this.usage, ...usage };
    const chunks = candidates.flatMap((candidate) => this.take(candidate));
    // A choice that has not begun yet would follow the usage.
    return usage !== null && this.isWhole ? [...chunks, ...this.takeUsage()] : chunks;
  }

  end(): readonly ChatChunk[] {
    if (!this.isFinished) throw new GatewayError("upstream", `${this.title}'s stream broke off.`);
    return this.takeUsage();
  }

  get isWhole(): boolean {
    return this.isFinished && this.choices.size >= this.asked;
  }

  get usageSoFar(): Usage | null {
    return this.usage && usageOf(this.usage);
  }

  private parse(data: string): unknown {
    try {
      return parseJson(data);
    } catch (cause) {
      throw new GatewayError("upstream", `${this.title}'s answer has an event that is not JSON.`, { cause });
    }
  }

  private get isFinished(): boolean {
    for (const choice of this.choices.values()) if (!choice.isFinished) return false;
    return this.choices.size > 0;
  }

  private take(candidate: Candidate): ChatChunk[] {
    const { index, logprobs } = candidate;
    const known = this.choices.get(index);
    // What follows a finish is about the answer, such as its count of tokens, and no part of it.
    if (known?.isFinished) return [];
    const choice = known ?? new Choice(index, this.facts, this.style);
    this.choices.set(index, choice);
    const chunks: ChatChunk[] = known === undefined ? [this.chunk(index, { role: "assistant" })] : [];
    const deltas = choice.add(candidate);
    if (deltas.length === 0 && logprobs !== null) deltas.push({});
    for (const [at, delta] of deltas.entries()) chunks.push(this.chunk(index, delta, null, at === 0 ? logprobs : null));
    if (candidate.finishReason === null) return chunks;
    const reason = choice.finish(candidate.finishReason, candidate.finishMessage, this.title, this.asked === 1);
    const { fields } = choice;
    if (fields !== null) chunks.push(this.chunk(index, { provider_specific_fields: fields }));
    const own = this.style.own ? { [OWN_REASON]: candidate.finishReason } : {};
    return [...chunks, this.chunkOf([{ index, delta: {}, finish_reason: reason, ...own }])];
  }

  private takeUsage(): ChatChunk[] {
    if (this.usage === null || this.isUsageSent) return [];
    this.isUsageSent = true;
    return [{ ...this.chunkOf([]), usage: usageOf(this.usage) }];
  }

  private chunk(
    index: number,
    delta: ChatDelta,
    finish_reason: FinishReason | null = null,
    logprobs: unknown = null,
  ): ChatChunk {
    const choice = { index, delta, finish_reason };
    return this.chunkOf([logprobs === null ? choice : { ...choice, logprobs }]);
  }

  private chunkOf(choices: ChatChunk["choices"]): ChatChunk {
    const { id, createdSeconds, model } = this.facts;
    return { id, object: "chat.completion.chunk", created: createdSeconds, model, choices };
  }
}
