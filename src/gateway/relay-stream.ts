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

/** An event that is longer than this is gathered line by line. */
const REST_CHARS_MAX = 64 * 1024;

/**
 * Relays a stream that is in our own form already. Only what must change is touched: the model's name, and the chunk with
 * the usage, which the upstream is always asked for and the caller may not have. Every chunk of bytes that arrives leaves
 * as one.
 */
export class StreamRelay implements FrameSource {
  private readonly decoder = new TextDecoder("utf-8");
  private readonly splitter = new SseSplitter();
  private readonly passage: PlainPassage;
  /** The beginning of an event whose end has not come yet. */
  private rest = "";
  /** Line ends of another kind, or an event that does not end: what comes goes through the splitter. */
  private splits = false;
  private done = false;
  /** A fault that was found behind events that are still to be sent. */
  private fault: { readonly thrown: unknown } | null = null;

  constructor(
    private readonly upstream: UpstreamReader,
    private readonly options: RelayOptions,
  ) {
    this.passage = new PlainPassage(options);
  }

  async next(): Promise<string | null> {
    for (;;) {
      if (this.fault) throw this.fault.thrown;
      if (this.done) return null;
      const chunk = await this.upstream.read();
      const text = chunk === null ? this.end() : this.take(this.decoder.decode(chunk, { stream: true }));
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

  /** Whole events as they came, as far as nothing in them has to be looked at; all others one by one. */
  private take(text: string): string {
    if (this.splits) return this.relay(this.splitter.pushText(text));
    const all = this.rest + text;
    const end = all.lastIndexOf("\n\n") + 2;
    this.splits = all.includes("\r") || all.length - end > REST_CHARS_MAX;
    if (this.splits) {
      this.rest = "";
      return this.relay(this.splitter.pushText(all));
    }
    this.rest = end < 2 ? all : all.slice(end);
    if (end < 2) return "";
    const special = firstSpecial(all, end);
    const passed = special > 0 ? this.passage.pass(all.slice(0, special)) : "";
    const looked = passed === null ? 0 : special;
    const shown = looked < end ? this.relay(this.splitter.pushText(all.slice(looked, end))) : "";
    return (passed ?? "") + shown;
  }

  private end(): string {
    const left = this.rest + this.decoder.decode();
    this.rest = "";
    return this.relay([...this.splitter.pushText(left), ...this.splitter.end()]);
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

/**
 * Events that pass as one piece of text: of 200 chunks in 50 kB each one by itself took a millisecond, all together take a
 * twentieth of that. Whatever is not as nearly all streams have it is left to the other way.
 */
class PlainPassage {
  /** The upstream's name of the model with its key and what stands before it, as it writes them, and what stands there instead. */
  private theirs: string | null = null;
  private ours = "";

  constructor(private readonly options: RelayOptions) {}

  /** Null where the events have to be looked at one by one. */
  pass(events: string): string | null {
    const { renameDelta, notes } = this.options;
    if (renameDelta && Object.keys(renameDelta).some((name) => events.includes(`"${name}"`))) return null;
    this.theirs ??= this.learn(events);
    if (this.theirs === null) return null;
    const parts = events.split(this.theirs);
    if (!areNamedOnce(parts)) return null;
    notes.delivered.addFrame(events);
    return this.theirs === this.ours ? events : parts.join(this.ours);
  }

  private learn(events: string): string | null {
    if (!events.startsWith(PLAIN)) return null;
    const data = events.slice(PLAIN.length - 1, events.indexOf("\n\n"));
    const named = findTopLevel(data, "model");
    // A number would also be found at the beginning of a longer one.
    if (!named || data.charCodeAt(named.end - 1) !== 34) return null;
    const from = data.lastIndexOf('"model"', named.start - 1) - 1;
    this.ours = data.slice(from, named.start) + this.options.model;
    return data.slice(from, named.end);
  }
}

const PLAIN = "data: {";

/**
 * Whether these parts are what lies around one name in each event, and each event is one line with an object, on whose top
 * level the name stands: either nothing opens before it, or nothing but the object closes behind it.
 */
function areNamedOnce(parts: readonly string[]): boolean {
  let from = 0;
  for (let index = 1; index < parts.length; index++) {
    const head = parts[index - 1] as string;
    const tail = parts[index] as string;
    const end = tail.indexOf("\n");
    if (!head.startsWith(PLAIN, from) || head.includes("\n", from) || !tail.startsWith("}\n\n", end - 1)) return false;
    const opened = head.includes("{", from + PLAIN.length) || head.includes("[", from + PLAIN.length);
    if (opened && (tail.indexOf("}") < end - 1 || tail.lastIndexOf("]", end) >= 0)) return false;
    from = end + 2;
  }
  return from === parts.at(-1)?.length;
}

/** Where the first event begins that tells something: an error, the usage or the end. `end` where there is none. */
function firstSpecial(text: string, end: number): number {
  let at = end;
  for (const token of ['"error"', "data: [DONE]"]) {
    const found = text.indexOf(token);
    if (found >= 0 && found < at) at = found;
  }
  for (let found = text.indexOf(USAGE); found >= 0 && found < at; found = text.indexOf(USAGE, found + USAGE.length)) {
    // Upstreams that will tell the usage say in each chunk before that they do not yet.
    if (!text.startsWith(":null", found + USAGE.length)) at = found;
  }
  if (at === end) return end;
  const before = text.lastIndexOf("\n\n", at);
  return before < 0 ? 0 : before + 2;
}

const USAGE = '"usage"';

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
