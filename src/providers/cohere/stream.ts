import type { ChatChunk, ChatDelta } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { callId } from "../openai-form/chat-answer.ts";
import { type ChunkForm, chunkForm } from "../openai-form/chunk-form.ts";
import { finishReason, logprobItem, malformed, REASONING_BREAK } from "./answer.ts";
import { findError } from "./failure.ts";
import { cohereUsage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A call whose arguments are on their way. */
interface OpenCall {
  readonly index: number;
  hasArguments: boolean;
}

export class CohereStream implements ChunkDecoder {
  private form: ChunkForm | null = null;
  private chunks: ChatChunk[] = [];
  private id: string;
  private hasText = false;
  /** Which part of the reasoning the last piece belonged to. */
  private reasoningPart: string | null = null;
  private readonly calls: OpenCall[] = [];
  /** Calls by the index that Cohere gives them. */
  private readonly callsByIndex = new Map<unknown, OpenCall>();
  private readonly citations: unknown[] = [];
  isWhole = false;

  constructor(private readonly facts: AnswerFacts) {
    this.id = facts.id;
  }

  push(event: StreamEvent): readonly ChatChunk[] {
    const data = event.data.trim();
    if (this.isWhole || data === "" || data === "[DONE]") return [];
    const fields = parseEvent(data);
    // A failure after the first byte may come as a plain error body.
    const failure = fields.delta === undefined ? findError(fields) : null;
    if (failure) throw failure;
    this.chunks = [];
    this.take(typeof fields.type === "string" ? fields.type : event.name, fields);
    return this.chunks;
  }

  end(): readonly ChatChunk[] {
    if (this.isWhole) return [];
    throw new GatewayError("upstream", "Cohere's stream broke off.");
  }

  private take(type: string | null, fields: Fields): void {
    const delta = recordIn(fields, "delta");
    const message = recordIn(delta, "message");
    switch (type) {
      case "message-start":
        if (this.form === null && typeof fields.id === "string") this.id = fields.id;
        break;
      case "content-start":
      case "content-delta":
        this.content(recordIn(message, "content"), fields);
        break;
      case "tool-plan-delta":
        this.reason(message.tool_plan, "plan");
        break;
      case "tool-call-start":
        this.startCall(recordIn(message, "tool_calls"), fields.index);
        break;
      case "tool-call-delta":
        this.continueCall(recordIn(recordIn(message, "tool_calls"), "function").arguments, fields.index);
        break;
      case "citation-start":
        if (isRecord(message.citations)) this.citations.push(message.citations);
        break;
      case "message-end":
        this.finish(delta);
    }
  }

  private content(content: Fields, { index, logprobs }: Fields): void {
    this.reason(content.thinking, `thinking ${typeof index === "number" ? index : 0}`);
    const item = logprobItem(logprobs);
    const text = typeof content.text === "string" ? content.text : "";
    if (text === "" && item === null) return;
    this.hasText ||= text !== "";
    this.send({ content: text }, item === null ? undefined : { content: [item], refusal: null });
  }

  private reason(words: unknown, part: string): void {
    if (typeof words !== "string" || words === "") return;
    const isNext = this.reasoningPart !== null && this.reasoningPart !== part;
    this.reasoningPart = part;
    this.send({ reasoning_content: isNext ? REASONING_BREAK + words : words });
  }

  private startCall(call: Fields, upstreamIndex: unknown): void {
    const called = recordIn(call, "function");
    if (typeof called.name !== "string") throw malformed("has a tool call without a name");
    const open: OpenCall = { index: this.calls.length, hasArguments: false };
    this.calls.push(open);
    this.callsByIndex.set(upstreamIndex, open);
    const text = typeof called.arguments === "string" ? called.arguments : "";
    open.hasArguments = text !== "";
    const id = callId(call.id, this.id, open.index);
    this.sendCall({ index: open.index, id, type: "function", function: { name: called.name, arguments: text } });
  }

  private continueCall(text: unknown, upstreamIndex: unknown): void {
    if (typeof text !== "string" || text === "") return;
    const open = this.callsByIndex.get(upstreamIndex) ?? this.calls.at(-1);
    if (open === undefined) throw malformed("has arguments of a call that did not begin");
    open.hasArguments = true;
    this.sendCall({ index: open.index, function: { arguments: text } });
  }

  private finish(delta: Fields): void {
    const reason = finishReason(delta.finish_reason, this.calls.length > 0, delta.error);
    const form = this.open();
    for (const call of this.calls) {
      if (!call.hasArguments) this.sendCall({ index: call.index, function: { arguments: "{}" } });
    }
    if (!this.hasText && this.calls.length === 0) this.send({ content: "" });
    // All at once: clients that join deltas replace one list by the next, or refuse lists without an index.
    if (this.citations.length > 0) this.send({ provider_specific_fields: { citations: this.citations } });
    this.chunks.push(form.finish(reason));
    const usage = cohereUsage(delta.usage);
    if (usage !== null) this.chunks.push(form.usage(usage));
    this.isWhole = true;
  }

  private sendCall(call: NonNullable<ChatDelta["tool_calls"]>[number]): void {
    this.send({ tool_calls: [call] });
  }

  private send(delta: ChatDelta, logprobs?: unknown): void {
    const form = this.open();
    this.chunks.push(form.delta(delta, logprobs));
  }

  /** The role comes first, whatever the upstream begins with. It waits for a word: until then a failure can be made good elsewhere. */
  private open(): ChunkForm {
    if (this.form !== null) return this.form;
    const form = chunkForm(this.id, this.facts);
    this.chunks.push(form.delta({ role: "assistant" }));
    this.form = form;
    return form;
  }
}

function parseEvent(data: string): Fields {
  try {
    const parsed: unknown = JSON.parse(data);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Falls through: the same fault.
  }
  throw new GatewayError("upstream", "Cohere's stream holds an event that is not a JSON object.");
}

function recordIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isRecord(value) ? value : {};
}
