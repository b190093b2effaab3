import type { ChatChunk, ChatDelta, Usage } from "../../../contract/chat.ts";
import { anthropicErrorBody } from "../../../contract/error-body.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { sseEvent } from "../../../lib/sse.ts";
import { callSignature, textSignature } from "../../../providers/gemini/signature.ts";
import { sealedItems } from "../../../providers/openai-responses/thoughts.ts";
import { itemsSignature, sealSignature } from "../../../providers/thought-seal.ts";
import type { Fields } from "../../call/gateway.ts";
import type { ResponseMetadata } from "../../call/response-metadata.ts";
import type { EventForm } from "../shared/event-body.ts";
import { HeardCalls, type ToolCallBuffer } from "../shared/tool-call-buffer.ts";
import { messageUsage } from "./message-usage.ts";
import { type Asked, stopReason } from "./stop-reason.ts";
import { messageId } from "./to-message.ts";

/** A block of the message: its place, and what it is. */
interface Place {
  readonly index: number;
  readonly type: unknown;
}

/** The chunks of a chat as the events of a message: one block is open at a time. */
export class MessageEvents implements EventForm {
  private hasBegun = false;
  private blocks = 0;
  private open: Place | null = null;
  private readonly calls = new HeardCalls<Place>();
  /** Thoughts whose signatures are still to come. */
  private readonly unsigned: Place[] = [];
  /** Anthropic's own model tells its blocks one by one: what a chat says of its thoughts is known then. */
  private isOwn = false;
  private ended: Fields = {};
  private usage: Usage | null = null;
  /** What the gateway has to say of the stream itself: that another model went on with it. */
  private aside: Fields = {};

  constructor(
    private readonly requestId: string,
    private readonly asked: Asked,
    /** By what the call is charged is known at its end. */
    private readonly told: Pick<ResponseMetadata, "estimate">,
  ) {}

  begin(): string {
    return "";
  }

  take({ id, model, choices, usage, gw_metadata }: ChatChunk): string {
    if (usage) this.usage = usage;
    if (gw_metadata) this.aside = { gw_metadata };
    let events = this.begun(id, model);
    for (const choice of choices) {
      if ((choice.index ?? 0) !== 0) continue;
      events += this.say(choice.delta);
      if (choice.finish_reason) this.ended = choice;
    }
    return events;
  }

  end(): string {
    const delta = stopReason(this.ended, !this.calls.isEmpty, this.asked);
    return (
      this.begun(null, null) +
      this.calls.nameless.map((call) => this.call(call)).join("") +
      this.close() +
      event("message_delta", { delta, usage: messageUsage(this.usage, this.told.estimate), ...this.aside }) +
      event("message_stop", {})
    );
  }

  fail(error: GatewayError): string {
    return event("error", anthropicErrorBody(error, this.requestId));
  }

  /** Who answers is known with the first chunk: another group may stand in for the one that was asked for. */
  private begun(id: string | null, model: string | null): string {
    if (this.hasBegun) return "";
    this.hasBegun = true;
    const message = {
      id: messageId(id ?? this.requestId),
      type: "message",
      role: "assistant",
      model: model ?? "",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // What the prompt has is told with the end: until then nobody has counted it.
      usage: messageUsage(null, null),
    };
    return event("message_start", { message }) + event("ping", {});
  }

  private say(delta: ChatDelta): string {
    const { anthropic_block: block, anthropic_delta: piece, reasoning_content: thought, content, refusal } = delta;
    let events = "";
    const begun = isRecord(block) ? block : null;
    if (begun) this.isOwn = true;
    // A call that begins is told with its name.
    if (begun && begun.type !== "tool_use") events += this.start(begun);
    if (isText(thought)) events += this.think(thought);
    // A piece of a block that Anthropic's own model began.
    if (isRecord(piece) && this.open) events += this.grow(piece);
    const items = this.asked.thinking ? sealedItems(delta) : [];
    if (items.length > 0) events += this.seal(itemsSignature(items), this.openThought());
    if (isText(content)) events += this.text(content);
    if (isText(refusal)) events += this.text(refusal);
    for (const call of delta.tool_calls ?? []) events += this.call(this.calls.hear(call), callSignature(call), begun);
    if (Array.isArray(delta.thinking_blocks) && !this.isOwn) events += this.sign(delta.thinking_blocks);
    const seal = this.asked.thinking ? textSignature(delta) : null;
    if (seal !== null) events += this.seal(sealSignature({ of: "text", seal }), this.unsigned[0]);
    return events;
  }

  private text(text: string): string {
    return this.opened({ type: "text", text: "" }) + this.grow({ type: "text_delta", text });
  }

  private think(thinking: string): string {
    if (!this.asked.thinking && this.open?.type !== "thinking") return "";
    return (
      this.opened({ type: "thinking", thinking: "", signature: "" }) + this.grow({ type: "thinking_delta", thinking })
    );
  }

  /** `own` is the block by which Anthropic's own model begins it, with all that the block says. */
  private call(call: ToolCallBuffer<Place> | null, seal: string | null = null, own: Fields | null = null): string {
    if (!call) return "";
    let events = "";
    if (!call.told) {
      if (seal !== null) events += this.seal(sealSignature({ of: "call", seal }), this.openThought());
      const id = call.id || `call_${call.index}`;
      events += this.start({ ...own, type: "tool_use", id, name: call.name, input: {} });
      call.told = this.open as Place;
    }
    const partial_json = call.take();
    return partial_json === "" ? events : events + this.grow({ type: "input_json_delta", partial_json }, call.told);
  }

  /** Thoughts with their signatures: clients gather by the place of a block, also of one that has ended. */
  private sign(blocks: readonly unknown[]): string {
    let events = "";
    for (const block of blocks.filter(isRecord)) {
      const { type, signature } = block;
      const place = type === "thinking" ? this.unsigned.shift() : undefined;
      if (place && isText(signature)) events += this.grow({ type: "signature_delta", signature }, place);
      else if (!place && (this.asked.thinking || type !== "thinking")) events += this.start(block);
    }
    return events;
  }

  /** The thought that is being told, where it waits for a signature. */
  private openThought(): Place | undefined {
    return this.unsigned.find((place) => place === this.open);
  }

  /** What Google or OpenAI has sealed is told by a thought that waits for a signature, or by one without words. */
  private seal(signature: string, thought: Place | undefined): string {
    const events = thought ? "" : this.start({ type: "thinking", thinking: "", signature: "" });
    const place = thought ?? (this.open as Place);
    this.unsigned.splice(this.unsigned.indexOf(place), 1);
    return events + this.grow({ type: "signature_delta", signature }, place);
  }

  /** The open block, where it is of this kind; else a new one. */
  private opened(block: Fields): string {
    return this.open?.type === block.type ? "" : this.start(block);
  }

  private start(content_block: Fields): string {
    const closed = this.close();
    const { type } = content_block;
    this.open = { index: this.blocks++, type };
    if (type === "thinking" && !isText(content_block.signature)) this.unsigned.push(this.open);
    return closed + event("content_block_start", { index: this.open.index, content_block });
  }

  private grow(delta: Fields, place = this.open): string {
    return event("content_block_delta", { index: place?.index ?? 0, delta });
  }

  private close(): string {
    if (!this.open) return "";
    const { index } = this.open;
    this.open = null;
    return event("content_block_stop", { index });
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const event = (type: string, fields: object): string => sseEvent(type, JSON.stringify({ type, ...fields }));
