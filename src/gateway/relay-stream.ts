import type { ChatChunk } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";
import { findTopLevel, splice } from "../lib/json-scan.ts";
import { SSE_DONE, type SseEvent, SseSplitter, sseText } from "../lib/sse.ts";
import { parseAnswer, requireRecord } from "./read-answer.ts";
import type { FrameSource } from "./stream-body.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

export interface RelayOptions {
  /** The caller's name of the model, as JSON text. */
  readonly model: string;
  /** Whether the caller asked for the chunk that tells the usage. */
  readonly includeUsage: boolean;
  /** Fields of a delta that the upstream calls by another name. */
  readonly renameDelta: Readonly<Record<string, string>> | null;
  readonly notes: StreamNotes;
}

/** Takes note of what a stream tells and says. */
export interface StreamNotes {
  /** The upstream's count, and the chunk that it came in. */
  report(usage: unknown, chunk: Readonly<Record<string, unknown>>): void;
  readonly delivered: { addFrame(data: string): void; addChunk(chunk: ChatChunk): void };
}

/**
 * Relays a stream that is in our own form already. Only what must change is touched: the model's name, and the chunk with
 * the usage, which the upstream is always asked for and the caller may not have. Every chunk of bytes that arrives leaves
 * as one.
 */
export class StreamRelay implements FrameSource {
  private readonly splitter = new SseSplitter();
  private done = false;
  /** A fault that was found behind events that are still to be sent. */
  private fault: { readonly thrown: unknown } | null = null;

  constructor(
    private readonly upstream: UpstreamReader,
    private readonly options: RelayOptions,
  ) {}

  async next(): Promise<string | null> {
    for (;;) {
      if (this.fault) throw this.fault.thrown;
      if (this.done) return null;
      const chunk = await this.upstream.read();
      const text = this.relay(chunk === null ? this.splitter.end() : this.splitter.push(chunk));
      if (chunk === null && !this.done) this.fault ??= { thrown: endedEarly() };
      if (text !== "") return text;
    }
  }

  get finished(): boolean {
    return this.done;
  }

  close(): void {
    this.upstream.close();
  }

  private relay(events: readonly SseEvent[]): string {
    let text = "";
    try {
      for (const { data } of events) {
        if (this.done) break;
        const frame = this.frame(data);
        if (frame !== null) text += sseText(frame);
      }
    } catch (thrown) {
      // What came before the fault is the caller's all the same.
      this.fault = { thrown };
    }
    return text;
  }

  private frame(data: string): string | null {
    if (data === SSE_DONE) {
      this.done = true;
      return data;
    }
    if (data.includes('"error"')) failOnError(data);
    if (data.includes('"usage"') && this.isUsageAlone(data)) return null;
    this.options.notes.delivered.addFrame(data);
    return this.rename(withModel(data, this.options.model));
  }

  /** Notes the usage; true for a chunk that has nothing else and was not asked for. */
  private isUsageAlone(data: string): boolean {
    const chunk = requireRecord(parseAnswer(data));
    if (!isRecord(chunk.usage)) return false;
    this.options.notes.report(chunk.usage, chunk);
    return !this.options.includeUsage && Array.isArray(chunk.choices) && chunk.choices.length === 0;
  }

  private rename(data: string): string {
    const names = this.options.renameDelta;
    if (names === null || !Object.keys(names).some((name) => data.includes(`"${name}"`))) return data;
    const chunk = requireRecord(parseAnswer(data));
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) {
      if (isRecord(choice) && isRecord(choice.delta)) renameKeys(choice.delta, names);
    }
    return JSON.stringify(chunk);
  }
}

const endedEarly = (): GatewayError => new GatewayError("upstream", "The provider's stream ended before it was whole.");

export function renameKeys(record: Record<string, unknown>, names: Readonly<Record<string, string>>): void {
  for (const [theirs, ours] of Object.entries(names)) {
    if (record[theirs] === undefined || record[ours] !== undefined) continue;
    record[ours] = record[theirs];
    delete record[theirs];
  }
}

/** An error object in the stream ends it; a text that merely contains the word does not. */
function failOnError(data: string): void {
  const { error } = requireRecord(parseAnswer(data));
  if (error === undefined || error === null) return;
  const message =
    isRecord(error) && typeof error.message === "string" ? error.message : "The provider failed in mid-stream.";
  throw new GatewayError("upstream", message.slice(0, 500));
}

/** `model` is JSON text. A chunk that is not a JSON object is not passed on. */
function withModel(data: string, model: string): string {
  const named = data.startsWith("{") && data.endsWith("}") ? findTopLevel(data, "model") : null;
  if (named) return splice(data, named, model);
  const chunk = requireRecord(parseAnswer(data));
  return JSON.stringify({ ...chunk, model: JSON.parse(model) });
}
