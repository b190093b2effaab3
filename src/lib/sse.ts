/** One event of a server-sent stream. */
export interface SseEvent {
  readonly name: string | null;
  readonly data: string;
}

const LINE_CHARS_MAX = 16 * 1024 * 1024;

/**
 * Cuts a byte stream into lines. They end with LF, CR or CR LF; any split of the bytes gives the same lines, and a line
 * without an end is refused before it fills the memory.
 */
class LineSplitter {
  private readonly decoder = new TextDecoder("utf-8");
  /** The beginning of a line, in the pieces in which it came: joining them each time would cost the square of its length. */
  private pieces: string[] = [];
  private length = 0;

  constructor(private readonly lineCharsMax = LINE_CHARS_MAX) {}

  push(chunk: Uint8Array): string[] {
    return this.take(this.decode(chunk), false);
  }

  /** Of a stream that was decoded already. */
  pushText(text: string): string[] {
    return this.take(text, false);
  }

  /** The text of bytes, for whoever wants to look at it before it goes to `pushText`. */
  decode(chunk: Uint8Array): string {
    return this.decoder.decode(chunk, { stream: true });
  }

  /** Whether everything that came was whole lines. */
  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  /** What is left when the stream ends: a line whose end never came still counts. */
  end(): string[] {
    return this.take(this.decoder.decode(), true);
  }

  private take(text: string, last: boolean): string[] {
    // A CR that ended the last piece may be half of a pair, so it is looked at again with what follows.
    const tail = this.pieces.at(-1);
    if (tail?.endsWith("\r")) {
      this.pieces.pop();
      this.length -= tail.length;
      return this.take(tail + text, last);
    }
    // Streams without any CR, which is nearly all of them, are searched natively for the one end that they have.
    const plain = !text.includes("\r");
    const lines: string[] = [];
    let start = 0;
    while (start < text.length) {
      const at = plain ? text.indexOf("\n", start) : lineEnd(text, start);
      if (at < 0 || (at === text.length - 1 && text.charCodeAt(at) === 13 && !last)) break;
      lines.push(this.finish(text.slice(start, at)));
      start = text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
    }
    if (start < text.length) this.keep(start === 0 ? text : text.slice(start));
    if (last && this.length > 0) lines.push(this.finish(""));
    return lines;
  }

  private keep(text: string): void {
    this.length += text.length;
    if (this.length > this.lineCharsMax) throw new RangeError("A line of the stream is too long.");
    this.pieces.push(text);
  }

  private finish(text: string): string {
    if (this.length === 0) return text;
    const line = this.pieces.join("") + text;
    this.pieces = [];
    this.length = 0;
    return line;
  }
}

/** The next CR or LF. */
function lineEnd(text: string, from: number): number {
  const feed = text.indexOf("\n", from);
  const carriage = text.indexOf("\r", from);
  if (carriage < 0) return feed;
  return feed < 0 || carriage < feed ? carriage : feed;
}

/** Gathers lines into events. Comments, `id:` and `retry:` lines are dropped: streams of models do not need them. */
export class SseSplitter {
  private readonly lines: LineSplitter;
  private data: string | null = null;
  private name: string | null = null;

  constructor(private readonly eventCharsMax = LINE_CHARS_MAX) {
    this.lines = new LineSplitter(eventCharsMax);
  }

  push(chunk: Uint8Array): SseEvent[] {
    return this.take(this.lines.push(chunk));
  }

  /** Of a stream that was decoded already. */
  pushText(text: string): SseEvent[] {
    return this.take(this.lines.pushText(text));
  }

  /** The text of bytes, for whoever wants to look at it before it goes to `pushText`. */
  decode(chunk: Uint8Array): string {
    return this.lines.decode(chunk);
  }

  /** Whether what comes next begins an event. */
  get isBetweenEvents(): boolean {
    return this.data === null && this.name === null && this.lines.isEmpty;
  }

  /** An event whose blank line never came still counts. */
  end(): SseEvent[] {
    return this.take([...this.lines.end(), ""]);
  }

  private take(lines: readonly string[]): SseEvent[] {
    const events: SseEvent[] = [];
    for (const line of lines) {
      if (line === "") this.flush(events);
      else if (line.startsWith("data:")) this.add(value(line, 5));
      else if (line.startsWith("event:")) this.name = value(line, 6);
    }
    return events;
  }

  private add(text: string): void {
    this.data = this.data === null ? text : `${this.data}\n${text}`;
    if (this.data.length > this.eventCharsMax) throw new RangeError("An event of the stream is too long.");
  }

  private flush(events: SseEvent[]): void {
    // As in browsers, an event without data is none: some upstreams keep their connection alive with it.
    if (this.data) events.push({ name: this.name, data: this.data });
    this.data = null;
    this.name = null;
  }
}

/**
 * The events of a text that has come whole. Only CR and LF end a line: other line ends of Unicode, at which a pattern's `^`, `$`
 * and `.` stop, may stand in what a model says.
 */
export function eventsOf(text: string): SseEvent[] {
  const splitter = new SseSplitter();
  return [...splitter.pushText(text), ...splitter.end()];
}

/** The value of a field: one space after the colon does not belong to it. */
const value = (line: string, from: number): string => line.slice(line.charCodeAt(from) === 32 ? from + 1 : from);

/** Lines of JSON, as some upstreams stream them; blank ones are nothing. */
export class NdjsonSplitter {
  private readonly lines = new LineSplitter();

  push(chunk: Uint8Array): SseEvent[] {
    return toEvents(this.lines.push(chunk));
  }

  end(): SseEvent[] {
    return toEvents(this.lines.end());
  }
}

const toEvents = (lines: readonly string[]): SseEvent[] =>
  lines.filter((line) => line.trim() !== "").map((data) => ({ name: null, data }));

export const sseText = (data: string): string =>
  `data: ${data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data}\n\n`;
/** The same under a name. */
export const sseEvent = (name: string, data: string): string => `event: ${name}\n${sseText(data)}`;
export const SSE_DONE = "[DONE]";
/** As clients take it: whatever stands behind it. */
export const isDone = (data: string): boolean => data.startsWith(SSE_DONE);
