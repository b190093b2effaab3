import type { ChatChunk } from "../../contract/chat.ts";
import { sseText } from "../../lib/sse.ts";
import type { StreamEvent } from "../../providers/dialect.ts";

/** A JSON string as two streams write it alike. */
const PLAIN_STRING = /^"(?:[^"\\\p{Cc}]|\\["\\/bfnrt])+"$/u;

interface Known {
  readonly name: string | null;
  /** What stands around the text in the upstream's event, and in ours. */
  readonly theirs: Around;
  readonly ours: Around;
  /** The upstream's event as it is written in a stream of server-sent events; null where it takes several lines. */
  readonly written: Around | null;
}
type Around = readonly [before: string, after: string];

/** Whole events of a stream, and how far they were read. */
export interface Arrived {
  readonly text: string;
  at: number;
}

/**
 * Most events of a stream differ from the one before in nothing but their piece of text. Once one was translated, those that
 * follow it are put together from it: 200 events that are each parsed, turned into a chunk and written again took 0.5 ms.
 */
export class ChunkFastPath {
  private known: Known | null = null;

  /** The event as it is sent; null for one that is to be translated, and that `learn` may be told of. */
  pass({ name, data }: StreamEvent): string | null {
    if (!this.known || this.known.name !== name) return this.forget();
    const { theirs, ours } = this.known;
    const [before, after] = theirs;
    if (!data.startsWith(before) || !data.endsWith(after)) return this.forget();
    const text = data.slice(before.length, data.length - after.length);
    return PLAIN_STRING.test(text) ? ours[0] + text + ours[1] : this.forget();
  }

  /**
   * As many events as follow one another from where one begins: cut out of the stream one by one, each took six texts and an
   * object, and 200 of them a quarter of a millisecond. Empty where the next one is to be cut out.
   */
  passAll(arrived: Arrived): string {
    if (!this.known?.written) return "";
    const { text } = arrived;
    const { written, ours } = this.known;
    const [before, after] = written;
    const texts: string[] = [];
    while (text.startsWith(before, arrived.at)) {
      const from = arrived.at + before.length;
      const end = plainEnd(text, from);
      if (end <= from + EMPTY.length || !text.startsWith(after, end)) break;
      texts.push(text.slice(from, end));
      arrived.at = end + after.length;
    }
    return texts.length === 0 ? "" : ours[0] + texts.join(ours[1] + ours[0]) + ours[1];
  }

  learn({ name, data }: StreamEvent, chunks: readonly ChatChunk[]): void {
    const [chunk] = chunks;
    const text = chunk && chunks.length === 1 ? onlyText(chunk) : null;
    if (!chunk || text === null) return;
    const literal = JSON.stringify(text);
    const [theirs, ours] = [around(data, literal), around(sseText(JSON.stringify(chunk)), literal)];
    if (theirs && ours) this.known = { name, theirs, ours, written: written(name, data, theirs) };
  }

  private forget(): null {
    this.known = null;
    return null;
  }
}

/** What a chunk says that says nothing else. */
function onlyText({ choices, usage }: ChatChunk): string | null {
  const [choice] = choices;
  if (!choice || choices.length > 1 || usage) return null;
  const { content } = choice.delta;
  return typeof content === "string" && content !== "" && Object.keys(choice.delta).length === 1 ? content : null;
}

/** Null where a text is not there, or more than once. */
function around(text: string, part: string): Around | null {
  const at = text.indexOf(part);
  if (at < 0 || text.includes(part, at + 1)) return null;
  return [text.slice(0, at), text.slice(at + part.length)];
}

function written(name: string | null, data: string, [before, after]: Around): Around | null {
  if (data.includes("\n")) return null;
  return [`${name === null ? "" : `event: ${name}\n`}data: ${before}`, `${after}\n\n`];
}

/** The place after the string that begins here, if it is one that `PLAIN_STRING` takes; -1 for all others. */
function plainEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== QUOTE) return -1;
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) {
      if (!SHORT_ESCAPES.includes(text.charAt(++at))) return -1;
    } else if (code < 32 || (code > 126 && code < 160)) return -1;
  }
  return -1;
}

const EMPTY = '""';
const QUOTE = 34;
const BACKSLASH = 92;
const SHORT_ESCAPES = '"\\/bfnrt';
