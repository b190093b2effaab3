/**
 * Splits a byte stream of server-sent events into the `data` of each event. Any split of the bytes gives the same
 * events. Comments, `event:`, `id:` and `retry:` lines are dropped: OpenAI-like streams do not need them.
 */
export class SseSplitter {
  private readonly decoder = new TextDecoder("utf-8");
  private rest = "";
  private data: string[] = [];

  constructor(private readonly lineCharsMax = 16 * 1024 * 1024) {}

  push(chunk: Uint8Array): string[] {
    return this.take(this.decoder.decode(chunk, { stream: true }), false);
  }

  /** What is left when the stream ends: an event whose blank line never came still counts. */
  end(): string[] {
    const events = this.take(this.decoder.decode(), true);
    if (this.data.length > 0) events.push(this.flush());
    return events;
  }

  private take(text: string, last: boolean): string[] {
    const buffer = this.rest + text;
    const events: string[] = [];
    let start = 0;
    for (;;) {
      const end = lineEnd(buffer, start, last);
      if (end === null) break;
      this.line(buffer.slice(start, end.at), events);
      start = end.next;
    }
    this.rest = buffer.slice(start);
    if (this.rest.length > this.lineCharsMax) throw new RangeError("A line of the event stream is too long.");
    return events;
  }

  private line(line: string, events: string[]): void {
    if (line === "") {
      if (this.data.length > 0) events.push(this.flush());
    } else if (line.startsWith("data:")) {
      this.data.push(line.slice(line.charCodeAt(5) === 32 ? 6 : 5));
    }
  }

  private flush(): string {
    const data = this.data.length === 1 ? (this.data[0] ?? "") : this.data.join("\n");
    this.data = [];
    return data;
  }
}

/** A line ends with LF, CR or CR LF. A CR at the end of the text may be half of a pair, so it waits for more. */
function lineEnd(text: string, from: number, last: boolean): { at: number; next: number } | null {
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 10) return { at: index, next: index + 1 };
    if (code !== 13) continue;
    if (index + 1 === text.length && !last) return null;
    return { at: index, next: text.charCodeAt(index + 1) === 10 ? index + 2 : index + 1 };
  }
  return last && from < text.length ? { at: text.length, next: text.length } : null;
}

const encoder = new TextEncoder();
export const sseFrame = (data: string): Uint8Array => encoder.encode(`data: ${data}\n\n`);
export const SSE_DONE = "[DONE]";
