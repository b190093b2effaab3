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
export class LineSplitter {
  private readonly decoder = new TextDecoder("utf-8");
  private rest = "";

  constructor(private readonly lineCharsMax = LINE_CHARS_MAX) {}

  push(chunk: Uint8Array): string[] {
    return this.take(this.decoder.decode(chunk, { stream: true }), false);
  }

  /** What is left when the stream ends: a line whose end never came still counts. */
  end(): string[] {
    return this.take(this.decoder.decode(), true);
  }

  private take(text: string, last: boolean): string[] {
    const buffer = this.rest === "" ? text : this.rest + text;
    const lines: string[] = [];
    // Streams without any CR, which is nearly all of them, are searched natively for the one end that they have.
    const plain = !buffer.includes("\r");
    let start = 0;
    while (start < buffer.length) {
      const at = plain ? buffer.indexOf("\n", start) : lineEnd(buffer, start);
      if (at < 0 || (at === buffer.length - 1 && buffer.charCodeAt(at) === 13 && !last)) break;
      lines.push(buffer.slice(start, at));
      start = buffer.charCodeAt(at) === 13 && buffer.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
    }
    this.rest = start === 0 ? buffer : buffer.slice(start);
    if (this.rest.length > this.lineCharsMax) throw new RangeError("A line of the stream is too long.");
    if (last && this.rest !== "") {
      lines.push(this.rest);
      this.rest = "";
    }
    return lines;
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

  constructor(lineCharsMax = LINE_CHARS_MAX) {
    this.lines = new LineSplitter(lineCharsMax);
  }

  push(chunk: Uint8Array): SseEvent[] {
    return this.take(this.lines.push(chunk));
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
  }

  private flush(events: SseEvent[]): void {
    if (this.data !== null) events.push({ name: this.name, data: this.data });
    this.data = null;
    this.name = null;
  }
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

export const sseText = (data: string): string => `data: ${data}\n\n`;
export const SSE_DONE = "[DONE]";
