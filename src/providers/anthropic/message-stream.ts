import type { ChatChunk, ChatDelta, ChatRequest, FinishReason, Usage } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { eventObject } from "../event-object.ts";
import { isError, malformed, reportedError, TITLE } from "./failure.ts";
import { finishReason } from "./finish-reason.ts";
import { wantsJson } from "./json-answer.ts";
import { isInOwnForm, ownReason } from "./own-form.ts";
import { StreamBlocks } from "./stream-blocks.ts";
import { usesFunctions } from "./tools.ts";
import { mergeUsage, toUsage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The events of a streamed message as chunks. The answer is whole once the reason of its end is known. */
export class MessageStream implements ChunkDecoder {
  readonly textLeavesNoTrace = true;
  private readonly blocks: StreamBlocks;
  private readonly isOwn: boolean;
  private state: "waiting" | "open" | "ended" = "waiting";
  private hasBegun = false;
  private id: string;
  private usage: Fields = {};

  constructor(
    request: ChatRequest,
    private readonly facts: AnswerFacts,
  ) {
    this.id = facts.id;
    this.isOwn = isInOwnForm(request);
    this.blocks = new StreamBlocks(wantsJson(request), usesFunctions(request), this.isOwn);
  }

  push(event: StreamEvent): readonly ChatChunk[] {
    if (this.state === "ended" || event.name === "ping") return [];
    const data = eventObject(event.data, malformed);
    if (event.name === "error" || isError(data)) throw reportedError(data);
    const type = data.type ?? event.name;
    if (type === "message_start") return this.begin(data.message);
    if (!isPartOfMessage(type)) return [];
    if (this.state === "waiting") throw malformed("begins in the middle");
    if (type === "content_block_start") return this.said(this.blocks.start(data));
    if (type === "content_block_delta") return this.said(this.blocks.delta(data));
    if (type === "content_block_stop") return this.said(this.blocks.stop(data));
    return this.finish(data);
  }

  end(): readonly ChatChunk[] {
    if (this.state !== "ended") throw new GatewayError("upstream", `${TITLE}'s stream broke off.`);
    return [];
  }

  get isWhole(): boolean {
    return this.state === "ended";
  }

  /** The prompt is counted when the answer begins. */
  get usageSoFar(): Usage {
    return toUsage(this.usage);
  }

  /** Who speaks is said with the first block: Anthropic is often overloaded behind its first event, and others can be asked then. */
  private begin(message: unknown): ChatChunk[] {
    if (this.state === "open") return [];
    if (!isRecord(message)) throw malformed("begins without a message");
    if (typeof message.id === "string" && message.id !== "") this.id = message.id;
    this.usage = mergeUsage(this.usage, message.usage);
    this.state = "open";
    return [];
  }

  private finish({ delta, usage }: Fields): ChatChunk[] {
    this.usage = mergeUsage(this.usage, usage);
    const reason = isRecord(delta) ? delta.stop_reason : null;
    if (typeof reason !== "string") return [];
    const beside = this.isOwn && isRecord(delta) ? ownReason(delta) : {};
    const finish = finishReason(reason, this.blocks.called);
    const last = this.chunk([{ index: 0, delta: {}, finish_reason: finish, ...beside }]);
    const chunks = [...this.said(this.blocks.thinking()), last];
    this.state = "ended";
    // What was counted when the answer began is no count of it.
    return isRecord(usage) ? [...chunks, { ...this.chunk([]), usage: toUsage(this.usage) }] : chunks;
  }

  private said(deltas: readonly ChatDelta[]): ChatChunk[] {
    const unfinished: FinishReason | null = null;
    const opening: ChatDelta[] = this.hasBegun ? [] : [{ role: "assistant" }];
    this.hasBegun = true;
    return [...opening, ...deltas].map((delta) => this.chunk([{ index: 0, delta, finish_reason: unfinished }]));
  }

  private chunk(choices: ChatChunk["choices"]): ChatChunk {
    const { createdSeconds: created, model } = this.facts;
    return { id: this.id, object: "chat.completion.chunk", created, model, choices };
  }
}

const PARTS: ReadonlySet<unknown> = new Set([
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
]);

/** Pings and events that were added since are none of our business. */
const isPartOfMessage = (type: unknown): boolean => PARTS.has(type);
