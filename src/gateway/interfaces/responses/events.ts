import { eventText } from "../../../assistants/response-event.ts";
import type { ChatChunk, ChatDelta, Usage } from "../../../contract/chat.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import type { ResponseAnswer } from "../../../contract/responses.ts";
import { isRecord } from "../../../lib/json.ts";
import type { EventForm } from "../shared/event-body.ts";
import { HeardCalls, type ToolCallBuffer } from "../shared/tool-call-buffer.ts";
import { BEGUN, type ResponseEnd, type ResponseFacts, responseObject, statusOf } from "./create-response.ts";
import { OpenCall, type OpenItem, OpenThought, OpenWords, type Place } from "./item-builders.ts";
import { sealedBlocks } from "./reasoning.ts";
import type { ToolNames } from "./tool-names.ts";

/** What a chat says as a response: as events while it is said, and as a whole. */
export class ResponseEvents implements EventForm {
  private events = "";
  /** In the order in which they began, and end. */
  private readonly items: OpenItem[] = [];
  /** The one that is being said: where an answer is cut, it is cut in this one. */
  private current: OpenItem | null = null;
  private thought: OpenThought | null = null;
  private words: OpenWords | null = null;
  private readonly calls = new HeardCalls<OpenCall>();
  private finishReason: string | null = null;
  private usage: Usage | null = null;
  private serviceTier: unknown;
  private gwMetadata: unknown;

  constructor(
    private readonly facts: ResponseFacts,
    private readonly names: ToolNames,
    /** Keeps the answer, and says whether it is kept, before its end is told. */
    private readonly keep: (answer: ResponseAnswer) => Promise<ResponseAnswer>,
    /** How many were told before. */
    private told = 0,
  ) {}

  begin(): string {
    this.tell("response.created", { response: responseObject(this.facts, BEGUN) });
    return this.proceed();
  }

  /** Of one that was told of when it was asked for. */
  proceed(): string {
    this.tell("response.in_progress", { response: responseObject(this.facts, BEGUN) });
    return this.taken();
  }

  take({ choices, usage, service_tier, gw_metadata }: ChatChunk): string {
    if (gw_metadata) this.gwMetadata = gw_metadata;
    if (usage) this.usage = usage;
    if (service_tier != null) this.serviceTier = service_tier;
    for (const { delta, finish_reason, logprobs } of choices) {
      this.hear(delta, logprobs);
      this.finishReason = finish_reason ?? this.finishReason;
    }
    return this.taken();
  }

  async end(): Promise<string> {
    return this.tellEnd(await this.finish());
  }

  finish(): Promise<ResponseAnswer> {
    return this.keep(this.whole({ status: statusOf(this.finishReason), error: null }));
  }

  fail(error: GatewayError): string {
    return this.tellEnd(this.failed(error));
  }

  failed(error: GatewayError): ResponseAnswer {
    return this.whole({ status: "failed", error });
  }

  tellEnd(response: ResponseAnswer): string {
    this.tell(`response.${response.status}`, { response });
    return this.taken();
  }

  private hear(delta: ChatDelta, logprobs: unknown): void {
    if (delta.reasoning_content || sealedBlocks(delta).length > 0) {
      this.thought ??= this.begun(new OpenThought(this.place()));
      this.thought.add(delta);
      if (delta.reasoning_content || !this.current) this.current = this.thought;
    }
    const { content, refusal, annotations, tool_calls } = delta;
    if (content) this.speaker().say(content, tokensOf(logprobs));
    if (typeof refusal === "string" && refusal !== "") this.speaker().refuse(refusal);
    if (Array.isArray(annotations)) this.words?.annotate(annotations);
    for (const call of tool_calls ?? []) this.call(this.calls.hear(call));
  }

  private speaker(): OpenWords {
    this.thought?.pause();
    this.words ??= this.begun(new OpenWords(this.place()));
    this.current = this.words;
    return this.words;
  }

  /** Several calls may be told in turns. */
  private call(call: ToolCallBuffer<OpenCall> | null): void {
    if (!call) return;
    if (!call.told) {
      this.thought?.pause();
      call.told = this.begun(new OpenCall(this.place(), this.names, call));
    }
    this.current = call.told;
    call.told.add(call.take());
  }

  private place(): Place {
    return { responseId: this.facts.id, at: this.items.length, tell: this.tell };
  }

  private begun<Item extends OpenItem>(item: Item): Item {
    this.items.push(item);
    return item;
  }

  private whole(end: Pick<ResponseEnd, "status" | "error">): ResponseAnswer {
    for (const call of this.calls.nameless) this.call(call);
    const isCut = (item: OpenItem) => end.status !== "completed" && item === this.current;
    return responseObject(this.facts, {
      ...end,
      output: this.items.map((item) => item.close(isCut(item) ? "incomplete" : "completed")),
      finishReason: this.finishReason,
      usage: this.usage,
      serviceTier: this.serviceTier,
      gwMetadata: this.gwMetadata,
    });
  }

  private readonly tell = (type: string, fields: object): void => {
    this.events += eventText(type, this.told++, fields);
  };

  private taken(): string {
    const { events } = this;
    this.events = "";
    return events;
  }
}

const tokensOf = (logprobs: unknown): readonly unknown[] =>
  isRecord(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [];
