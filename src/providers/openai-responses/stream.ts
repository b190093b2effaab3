import type { ChatChunk, ChatDelta } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { eventObject } from "../event-object.ts";
import { callId } from "../openai-form/chat-answer.ts";
import { type ChunkForm, chunkForm } from "../openai-form/chunk-form.ts";
import { type Answerer, argumentsOf, BREAK, finishReason, readMessage, responseUsage, tierOf } from "./answer.ts";
import { hasFailed, malformed, responseFailure } from "./failure.ts";
import { type SealedThought, SealedThoughts, thoughtFields, thoughtTexts } from "./thoughts.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An item of the output while it is told. */
interface OpenItem {
  /** Of a call: its place among the calls. */
  readonly call: number;
  /** Something of it was told; what was not is told when it is done. */
  hasPieces: boolean;
  isDone: boolean;
}

/** The events of a streamed response as chunks. It is whole with the event that has all of it. */
export class ResponseStream implements ChunkDecoder {
  private form: ChunkForm | null = null;
  private chunks: ChatChunk[] = [];
  private id: string;
  private calls = 0;
  private hasText = false;
  private hasRefusal = false;
  /** The item and the part of the last piece of a thought, and the item of the last piece of text. */
  private thoughtAt: string | null = null;
  private textAt: unknown = null;
  /** By their place in the output. */
  private readonly items = new Map<unknown, OpenItem>();
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
    const { output_index: at, delta, item, response } = event;
    switch (type) {
      case "response.created":
        if (isRecord(response) && typeof response.id === "string" && response.id !== "") this.id = response.id;
        break;
      case "response.output_item.added":
        if (isRecord(item)) this.open(at, item);
        break;
      case "response.output_text.delta":
        this.say(at, delta, event.logprobs);
        break;
      case "response.refusal.delta":
        this.refuse(at, delta);
        break;
      case "response.reasoning_summary_text.delta":
        this.think(at, delta, `summary ${placeOf(event.summary_index)}`);
        break;
      case "response.reasoning_text.delta":
        this.think(at, delta, `content ${placeOf(event.content_index)}`);
        break;
      case "response.function_call_arguments.delta":
        this.write(at, delta);
        break;
      case "response.output_item.done":
        if (isRecord(item)) this.close(at, item);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        this.finish(response, type);
    }
  }

  private open(at: unknown, item: Fields): OpenItem {
    const known = this.items.get(at);
    if (known) return known;
    const isCall = item.type === "function_call";
    if (item.type !== "reasoning") this.led.push(...this.sealed.before(item));
    const open: OpenItem = { call: isCall ? this.calls++ : -1, hasPieces: false, isDone: false };
    this.items.set(at, open);
    if (isCall) {
      if (typeof item.name !== "string") throw malformed("has a call of a function without a name");
      const id = callId(item.call_id, this.id, open.call);
      const called = { name: item.name, arguments: "" };
      this.send({ tool_calls: [{ index: open.call, id, type: "function", function: called }] });
    }
    return open;
  }

  private say(at: unknown, text: unknown, logprobs?: unknown): void {
    if (typeof text !== "string" || text === "") return;
    const isNext = this.hasText && this.textAt !== at;
    this.hasText = true;
    this.textAt = at;
    this.touch(at);
    const told = Array.isArray(logprobs) && logprobs.length > 0 ? { content: logprobs, refusal: null } : undefined;
    this.send({ content: isNext ? BREAK + text : text }, told);
  }

  private refuse(at: unknown, text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    this.touch(at);
    this.hasRefusal = true;
    this.send({ refusal: text });
  }

  private think(at: unknown, text: unknown, part: string): void {
    if (typeof text !== "string" || text === "") return;
    const place = `${placeOf(at)} ${part}`;
    const isNext = this.thoughtAt !== null && this.thoughtAt !== place;
    this.thoughtAt = place;
    this.touch(at);
    this.send({ reasoning_content: isNext ? BREAK + text : text });
  }

  private write(at: unknown, text: unknown): void {
    const item = this.items.get(at);
    if (item === undefined || item.call < 0) throw malformed("has arguments of a call that did not begin");
    if (typeof text !== "string" || text === "") return;
    item.hasPieces = true;
    this.send({ tool_calls: [{ index: item.call, function: { arguments: text } }] });
  }

  private touch(at: unknown): void {
    const item = this.items.get(at);
    if (item) item.hasPieces = true;
    else this.items.set(at, { call: -1, hasPieces: true, isDone: false });
  }

  /** What was not told in pieces is told at once. */
  private close(at: unknown, item: Fields): void {
    const open = this.open(at, item);
    if (open.isDone) return;
    open.isDone = true;
    if (item.type === "reasoning") this.sealed.before(item);
    if (open.hasPieces) return;
    if (item.type === "function_call") this.write(at, argumentsOf(item));
    if (item.type === "reasoning")
      for (const [part, text] of thoughtTexts(item).entries()) this.think(at, text, `${part}`);
    if (item.type !== "message") return;
    const { text, refusal, logprobs } = readMessage(item);
    this.say(at, text, logprobs);
    this.refuse(at, refusal);
  }

  private finish(response: unknown, type: string): void {
    if (!isRecord(response)) throw malformed("ends without itself");
    if (type === "response.failed" || hasFailed(response)) throw responseFailure(response.error, this.provider);
    if (type === "response.cancelled") throw malformed("was cancelled");
    const output = Array.isArray(response.output) ? response.output : [];
    for (const [at, item] of output.entries()) if (isRecord(item)) this.close(at, item);
    if (!this.hasText && !this.hasRefusal && this.calls === 0) this.send({ content: "" });
    const form = this.begun();
    const tier = tierOf(response);
    this.chunks.push({ ...form.finish(finishReason(response, this.calls > 0)), ...tier });
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
