import type { ChatChunk } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { indexOfBytes, lastIndexOfBytes } from "../../lib/bytes.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import { findTopLevel, splice } from "../../lib/json-scan.ts";
import { isDone, SSE_DONE, type SseEvent, SseSplitter, sseText } from "../../lib/sse.ts";
import type { Provider } from "../../providers/dialect.ts";
import { hasFailure, innerFailure, requireAnswer } from "../../providers/openai-form/inner-failure.ts";
import { parseAnswer, requireRecord } from "../attempts/read-response.ts";
import { withoutUpstreamPrices } from "../metering/upstream-prices.ts";
import { JsonInsteadOfStream } from "./json-fallback.ts";
import { responseToChunks } from "./response-to-chunks.ts";
import type { UpstreamReader } from "./upstream-reader.ts";
import { findPlain, type PassageOptions, VerbatimRelay } from "./verbatim-relay.ts";
import type { FrameSource, Frames } from "./write-stream.ts";

export interface RelayOptions extends PassageOptions {
  /** Whether the caller asked for the chunk that tells the usage. */
  readonly includeUsage: boolean;
  /** How many the answer has, if it is whole. */
  readonly choices: number;
  readonly notes: StreamNotes;
  /** Says what a failure in the stream means. */
  readonly provider: Pick<Provider, "classify">;
}

/** Takes note of what a stream tells and says. */
export interface StreamNotes {
  /** The upstream's count, and the chunk that it came in. */
  report(usage: unknown, chunk: Readonly<Record<string, unknown>>): void;
  /** The upstream has said all and broke off before it said so. */
  markTruncated(): void;
  readonly delivered: {
    readonly finishes: number;
    addFrame(data: string | Uint8Array): void;
    addChunk(chunk: ChatChunk): void;
  };
}

/** An event that is longer than this is gathered line by line. */
const REST_BYTES_MAX = 64 * 1024;

/**
 * Relays a stream that is in our own form already. Only what must change is touched: the model's name, and the chunk with
 * the usage, which the upstream is always asked for and the caller may not have. Every chunk of bytes that arrives leaves
 * as one.
 */
export class StreamRelay implements FrameSource {
  private readonly splitter = new SseSplitter();
  private readonly passage: VerbatimRelay;
  /** The beginning of an event whose end has not come yet. */
  private rest: Uint8Array | null = null;
  /** Line ends of another kind, or an event that does not end: what comes goes through the splitter. */
  private splits = false;
  private done = false;
  /** An event has come that is not the end. */
  private begun = false;
  private readonly body = new JsonInsteadOfStream();
  /** What is to be sent of the bytes that came last. */
  private frames: string | Uint8Array | (string | Uint8Array)[] | null = null;
  /** A fault that was found behind events that are still to be sent. */
  private fault: { readonly thrown: unknown } | null = null;

  constructor(
    private readonly upstream: UpstreamReader,
    private readonly options: RelayOptions,
  ) {
    this.passage = new VerbatimRelay(options);
    upstream.isWhole = this.isWhole;
    // Ends are counted here, and not whose they are: of several choices one may have been told twice.
    if (options.choices === 1) upstream.isOver = this.isWhole;
  }

  next(): Promise<Frames | null> {
    if (this.fault) return Promise.reject(this.fault.thrown);
    if (this.done) return NOTHING;
    return this.upstream.readTo(this.relayed);
  }

  // Made once for each stream: an async function would make five objects for each of its chunks.
  private readonly relayed = (chunk: Uint8Array | null): Frames | null | Promise<Frames | null> => {
    if (chunk === null) this.end();
    else this.take(chunk);
    const { frames } = this;
    if (frames === null) return this.next();
    this.frames = null;
    return frames;
  };

  private readonly isWhole = (): boolean => {
    const { choices, notes } = this.options;
    return this.fault === null && notes.delivered.finishes >= choices;
  };

  get finished(): boolean {
    return this.done;
  }

  close(): void {
    if (this.done) this.upstream.finish();
    else this.upstream.close();
  }

  /** An event that was cut in two is put together by itself: to copy all that came with it took 20 µs of a stream of 36 kB. */
  private take(chunk: Uint8Array): void {
    if (!this.body.isStream && this.body.takes(chunk)) return;
    const { rest } = this;
    const cut = rest === null ? 0 : endOfCut(rest, chunk);
    const end = cut < 0 ? 0 : Math.max(cut, endOfLast(chunk));
    const left = end > 0 ? chunk.length - end : chunk.length + (rest?.length ?? 0);
    this.splits ||= indexOfBytes(chunk, CR) >= 0 || left > REST_BYTES_MAX;
    if (this.splits) {
      this.rest = null;
      this.relay(this.splitter.push(withRest(rest, chunk)));
      return;
    }
    if (rest && cut > 0) this.takeWhole(withRest(rest, chunk.subarray(0, cut)));
    if (end > cut) this.takeWhole(part(chunk, cut, end));
    if (end === 0) this.rest = withRest(rest, chunk);
    else this.rest = left > 0 ? chunk.subarray(end) : null;
  }

  /** Whole events as they came, as far as nothing in them has to be looked at; all others one by one. */
  private takeWhole(bytes: Uint8Array): void {
    if (this.done || this.fault) return;
    const special = firstSpecial(bytes);
    const passed = special > 0 ? this.passage.pass(part(bytes, 0, special)) : null;
    if (passed !== null) {
      this.begun = true;
      this.give(passed);
    }
    const looked = passed === null ? 0 : special;
    if (looked < bytes.length) this.relay(this.splitter.pushText(decoder.decode(part(bytes, looked, bytes.length))));
  }

  /**
   * Nothing is missing where every choice has said how it ended: whoever is told of a failure then asks, and pays, again. Some
   * upstreams of this form never say `[DONE]`.
   */
  private end(): void {
    if (this.body.isJson) {
      this.relayBody();
      return;
    }
    const { rest } = this;
    this.rest = null;
    const left = rest ? this.splitter.push(rest) : [];
    this.relay([...left, ...this.splitter.end().filter(isWhole)]);
    if (this.done || this.fault) return;
    if (this.isWhole()) {
      this.done = true;
      this.options.notes.markTruncated();
      this.give(sseText(SSE_DONE));
    } else this.fault = { thrown: this.failureIn(rest) ?? endedEarly() };
  }

  private relayBody(): void {
    try {
      const answer = requireRecord(this.body.parse());
      requireAnswer(answer, "choices", this.options.provider);
      this.relay([
        ...responseToChunks(answer).map((chunk) => ({ name: null, data: JSON.stringify(chunk) })),
        DONE_EVENT,
      ]);
    } catch (thrown) {
      this.fault = { thrown };
    }
  }

  /** Some upstreams fail with a plain body and the status of success, also where a stream was asked for. */
  private failureIn(rest: Uint8Array | null): GatewayError | null {
    const body = rest === null ? null : recordIn(decoder.decode(rest));
    return body && hasFailure(body) ? innerFailure(body, this.options.provider) : null;
  }

  private relay(events: readonly SseEvent[]): void {
    let text = "";
    try {
      for (const { name, data } of events) {
        if (this.done) break;
        if (name === "error") throw innerFailure(requireRecord(parseAnswer(data)), this.options.provider);
        const frame = this.frame(data);
        if (frame !== null) text += sseText(frame);
      }
    } catch (thrown) {
      // What came before the fault is the caller's all the same.
      this.fault = { thrown };
    }
    if (text !== "") this.give(text);
  }

  private give(frames: string | Uint8Array): void {
    if (this.frames === null) this.frames = frames;
    else if (Array.isArray(this.frames)) this.frames.push(frames);
    else this.frames = [this.frames, frames];
  }

  private frame(data: string): string | null {
    if (isDone(data)) {
      // Nothing has been sent yet, so another deployment may still answer.
      if (!this.begun) throw saidNothing();
      this.done = true;
      return SSE_DONE;
    }
    this.begun = true;
    if (data.includes('"error"')) this.failOnError(data);
    const shown = tellsUsage(data) ? this.usageShown(data) : data;
    if (shown === null) return null;
    this.options.notes.delivered.addFrame(shown);
    return this.rename(withModel(shown, this.options.model));
  }

  /** An error object in the stream ends it; a text that merely contains the word does not. */
  private failOnError(data: string): void {
    const chunk = requireRecord(parseAnswer(data));
    if (hasFailure(chunk)) throw innerFailure(chunk, this.options.provider);
  }

  /** Notes the usage; null for a chunk that has nothing else and was not asked for. */
  private usageShown(data: string): string | null {
    const chunk = requireRecord(parseAnswer(data));
    if (!isRecord(chunk.usage)) return data;
    this.options.notes.report(chunk.usage, chunk);
    this.upstream.isCounted = true;
    if (!this.options.includeUsage && Array.isArray(chunk.choices) && chunk.choices.length === 0) return null;
    const shown = withoutUpstreamPrices(chunk);
    return shown === chunk ? data : JSON.stringify(shown);
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

/** The last event may lack its blank line; one that was cut off with the answer is nothing to pass on. */
function isWhole({ data }: SseEvent): boolean {
  if (isDone(data)) return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

const decoder = new TextDecoder("utf-8");
const DONE_EVENT: SseEvent = { name: null, data: SSE_DONE };
const NOTHING: Promise<null> = Promise.resolve(null);

const BLANK_LINE = Buffer.from("\n\n");
const ERROR = Buffer.from('error"');
const USAGE = Buffer.from('usage"');
const USAGE_KEY = '"usage"';
const DONE = Buffer.from("data: [DONE]");
const [LF, CR, QUOTE, COLON, N] = [10, 13, 34, 58, 110];

const withRest = (rest: Uint8Array | null, chunk: Uint8Array): Uint8Array =>
  rest === null ? chunk : Buffer.concat([rest, chunk]);

const part = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);

/** Where the last event ends that is whole; 0 where none is. */
function endOfLast(chunk: Uint8Array): number {
  const blank = lastIndexOfBytes(chunk, BLANK_LINE);
  return blank < 0 ? 0 : blank + 2;
}

/** Where the event ends in these bytes that began in the rest of those before; -1 where it does not. */
function endOfCut(rest: Uint8Array, chunk: Uint8Array): number {
  if (chunk[0] === LF && rest.at(-1) === LF) return 1;
  const blank = indexOfBytes(chunk, BLANK_LINE);
  return blank < 0 ? -1 : blank + 2;
}

/** Where the first event begins that tells something: an error, the usage or the end. The bytes' end where there is none. */
function firstSpecial(bytes: Uint8Array): number {
  const done = indexOfBytes(bytes, DONE);
  const at = Math.min(
    done < 0 ? bytes.length : done,
    firstKey(bytes, ERROR, isAnything),
    firstKey(bytes, USAGE, isTold),
  );
  if (at === bytes.length) return at;
  const before = lastIndexOfBytes(bytes, BLANK_LINE, at);
  return before < 0 ? 0 : before + 2;
}

/**
 * Where a key stands; the bytes' end where it does not. Its opening quotation mark is looked at behind: to search for what
 * begins with a sign that stands everywhere takes twice as long.
 */
function firstKey(bytes: Uint8Array, key: Uint8Array, counts: (bytes: Uint8Array, after: number) => boolean): number {
  for (let at = indexOfBytes(bytes, key); at >= 0; at = indexOfBytes(bytes, key, at + key.length)) {
    if (bytes[at - 1] === QUOTE && counts(bytes, at + key.length)) return at;
  }
  return bytes.length;
}

const isAnything = (): boolean => true;
/** Upstreams that will tell the usage say in each chunk before that they do not yet: `:null`. */
const isTold = (bytes: Uint8Array, after: number): boolean => bytes[after] !== COLON || bytes[after + 1] !== N;

/** The same of one event's text: what the others pass without having been read is not read here either. */
function tellsUsage(data: string): boolean {
  for (let at = data.indexOf(USAGE_KEY); at >= 0; at = data.indexOf(USAGE_KEY, at + 1)) {
    if (!data.startsWith(":n", at + USAGE_KEY.length)) return true;
  }
  return false;
}

export const saidNothing = (): GatewayError =>
  new GatewayError("upstream", "The provider's stream ended before it said anything.");
const endedEarly = (): GatewayError => new GatewayError("upstream", "The provider's stream ended before it was whole.");

export function renameKeys(record: Record<string, unknown>, names: Readonly<Record<string, string>>): void {
  for (const [theirs, ours] of Object.entries(names)) {
    if (record[theirs] === undefined || record[ours] !== undefined) continue;
    record[ours] = record[theirs];
    delete record[theirs];
  }
}

/** `model` is JSON text. A chunk that has no place for it, and is not a JSON object, is not passed on. */
function withModel(data: string, model: string): string {
  const isObject = data.startsWith("{") && data.endsWith("}");
  const named = isObject ? (findTopLevel(data, "model") ?? findPlain(data)) : null;
  if (named) return splice(data, named, model);
  const chunk = requireRecord(parseAnswer(data));
  return JSON.stringify({ ...chunk, model: JSON.parse(model) });
}
