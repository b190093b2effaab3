import type { ChatChunk, ChatDelta } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { eventObject } from "../event-object.ts";
import { callId } from "../openai-form/chat-answer.ts";
import { type ChunkForm, chunkForm } from "../openai-form/chunk-form.ts";
import {
  type Answerer,
  argumentsOf,
  BREAK,
  chatAnnotations,
  chatId,
  finishReason,
  readMessage,
  responseUsage,
  tierOf,
} from "./answer.ts";
import { hasFailed, malformed, responseFailure } from "./failure.ts";
import { type OpenItem, OpenItems } from "./open-items.ts";
import { type SealedThought, SealedThoughts, thoughtFields, thoughtTexts } from "./thoughts.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The events of a streamed response as chunks. It is whole with the event that has all of it. */
export class ResponseStream implements ChunkDecoder {
  private form: ChunkForm | null = null;
  private chunks: ChatChunk[] = [];
  private id: string;
  private hasText = false;
  private hasRefusal = false;
  /** The item and the part of the last piece of a thought, and the item of the last piece of text. */
  private thoughtAt: string | null = null;
  private textAt: OpenItem | null = null;
  private readonly items = new OpenItems();
  private readonly sealed: SealedThoughts;
  /** What was thought before the item that is told now, to be sent with its first word. */
  private led: SealedThought[] = [];
  isWhole = false;

  constructor(
    private readonly facts: AnswerFacts,
    private readonly provider: Answerer,
  ) {
    this.id = facts.id;
    this.sealed = new SealedThoughts(provider.account);
  }

  push({ name, data }: StreamEvent): readonly ChatChunk[] {
    if (this.isWhole || data === "[DONE]") return [];
    const event = eventObject(data, malformed);
    const type = typeof event.type === "string" ? event.type : name;
    if (type === "error" || isRecord(event.error)) {
      throw responseFailure(isRecord(event.error) ? event.error : event, this.provider);
    }
    this.chunks = [];
    this.take(type, event);
    return this.chunks;
  }

  end(): readonly ChatChunk[] {
    if (this.isWhole) return [];
    throw new GatewayError("upstream", "The provider's stream broke off.");
  }

  private take(type: string | null, event: Fields): void {
    const { delta, item, response } = event;
    switch (type) {
      case "response.created":
        if (isRecord(response)) this.id = chatId(response.id) ?? this.id;
        break;
      case "response.output_item.added":
        if (isRecord(item) && this.items.isNew(event, item)) this.open(event, item);
        break;
      case "response.output_text.delta":
        this.say(this.items.ofPiece(event, "message"), delta, event.logprobs);
        break;
      case "response.output_text.annotation.added":
        this.annotate(event.annotation);
        break;
      case "response.refusal.delta":
        this.refuse(this.items.ofPiece(event, "message"), delta);
        break;
      case "response.reasoning_summary_text.delta":
        this.think(this.items.ofPiece(event, "reasoning"), delta, `summary ${placeOf(event.summary_index)}`);
        break;
      case "response.reasoning_text.delta":
        this.think(this.items.ofPiece(event, "reasoning"), delta, `content ${placeOf(event.content_index)}`);
        break;
      case "response.function_call_arguments.delta":
        this.write(this.items.ofPiece(event, "function_call"), delta);
        break;
      case "response.output_item.done":
        if (isRecord(item)) this.close(this.items.ofEnd(event, item) ?? this.open(event, item), item);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        this.finish(response, type);
    }
  }

  private open(event: Fields, item: Fields): OpenItem {
    if (item.type !== "reasoning") this.led.push(...this.sealed.before(item));
    const open = this.items.open(event, item);
    if (open.kind === "function_call") {
      if (typeof item.name !== "string") throw malformed("has a call of a function without a name");
      const id = callId(item.call_id, this.id, open.call);
      const called = { name: item.name, arguments: "" };
      this.send({ tool_calls: [{ index: open.call, id, type: "function", function: called }] });
    }
    return open;
  }

  private say(item: OpenItem | null, text: unknown, logprobs?: unknown): void {
    if (!item || typeof text !== "string" || text === "") return;
    const isNext = this.hasText && this.textAt !== item;
    this.hasText = true;
    this.textAt = item;
    item.hasPieces = true;
    const told = Array.isArray(logprobs) && logprobs.length > 0 ? { content: logprobs, refusal: null } : undefined;
    this.send({ content: isNext ? BREAK + text : text }, told);
  }

  private annotate(annotation: unknown): void {
    const annotations = chatAnnotations([annotation]);
    if (annotations.length > 0) this.send({ annotations });
  }

  private refuse(item: OpenItem | null, text: unknown): void {
    if (!item || typeof text !== "string" || text === "") return;
    item.hasPieces = true;
    this.hasRefusal = true;
    this.send({ refusal: text });
  }

  private think(item: OpenItem | null, text: unknown, part: string): void {
    if (!item || typeof text !== "string" || text === "") return;
    const place = `${item.number} ${part}`;
    const isNext = this.thoughtAt !== null && this.thoughtAt !== place;
    this.thoughtAt = place;
    item.hasPieces = true;
    this.send({ reasoning_content: isNext ? BREAK + text : text });
  }

  private write(item: OpenItem | null, text: unknown): void {
    if (!item) throw malformed("has arguments of a call that did not begin");
    if (typeof text !== "string" || text === "") return;
    item.hasPieces = true;
    this.send({ tool_calls: [{ index: item.call, function: { arguments: text } }] });
  }

  /** What was not told in pieces is told at once. */
  private close(open: OpenItem, item: Fields): void {
    if (open.isDone) return;
    open.isDone = true;
    if (item.type === "reasoning") this.sealed.before(item);
    if (open.hasPieces) return;
    if (item.type === "function_call") this.write(open, argumentsOf(item));
    if (item.type === "reasoning")
      for (const [part, text] of thoughtTexts(item).entries()) this.think(open, text, `${part}`);
    if (item.type !== "message") return;
    const { text, refusal, logprobs } = readMessage(item);
    this.say(open, text, logprobs);
    this.refuse(open, refusal);
  }

  private finish(response: unknown, type: string): void {
    if (!isRecord(response)) throw malformed("ends without itself");
    if (type === "response.failed" || hasFailed(response)) throw responseFailure(response.error, this.provider);
    if (type === "response.cancelled") throw malformed("was cancelled");
    const output = Array.isArray(response.output) ? response.output : [];
    for (const [item, told] of this.items.ofOutput(output)) this.close(told ?? this.open({}, item), item);
    const { calls } = this.items;
    if (!this.hasText && !this.hasRefusal && calls === 0) this.send({ content: "" });
    const form = this.begun();
    const tier = tierOf(response);
    this.chunks.push({ ...form.finish(finishReason(response, calls > 0)), ...tier });
    const usage = responseUsage(response.usage);
    if (usage !== null) this.chunks.push({ ...form.usage(usage), ...tier });
    this.isWhole = true;
  }

  private send(delta: ChatDelta, logprobs?: unknown): void {
    const form = this.begun();
    if (this.led.length > 0) this.chunks.push(form.delta(thoughtFields(this.led)));
    this.led = [];
    this.chunks.push(form.delta(delta, logprobs));
  }

  /** The role comes first. It waits for a word: until then a failure can be made good elsewhere. */
  private begun(): ChunkForm {
    if (this.form !== null) return this.form;
    const form = chunkForm(this.id, this.facts);
    this.chunks.push(form.delta({ role: "assistant" }));
    this.form = form;
    return form;
  }
}

const placeOf = (index: unknown): number => (typeof index === "number" ? index : 0);
