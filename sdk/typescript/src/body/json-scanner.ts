import { type Failure, invalid, tooLarge } from "../failure.ts";
import { Base64Decoder } from "./base64.ts";
import { ByteSink } from "./byte-sink.ts";
import type { Fields } from "./fields.ts";

/** How a field's value is read: its text is parsed, or it is decoded while it comes. */
type Shape = "json" | "base64" | "list";

export interface ScanOptions {
  readonly shapes: Readonly<Record<string, Shape>>;
  /** Most bytes that the text of one field may have which is not decoded while it comes. */
  readonly fieldBytesMax: number;
  readonly listEntriesMax: number;
  /** A guess at the decoded size of the one large field. */
  readonly guess: number;
}

const DEPTH_MAX = 512;
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COMMA, COLON] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a,
] as const;
const ESCAPES: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9, '"': 34, "\\": 92, "/": 47 };

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const broken = (message: string): Failure => invalid("invalid_json", message);

/**
 * Reads a JSON object while its bytes arrive. Base64 is decoded as it comes, so that neither the body nor a string of it
 * exists as a whole; the other fields are small, and their text goes to `JSON.parse`.
 */
export class JsonScanner {
  private state: (bytes: Uint8Array, at: number, end: number) => number = this.start;
  private readonly fields: Fields = new Map();
  private key = "";
  private text = new ByteSink();
  private depth = 0;
  private inString = false;
  private escaped = false;
  private decoder: Base64Decoder | null = null;
  private escape = "";
  private list: Uint8Array[] | null = null;

  constructor(private readonly options: ScanOptions) {}

  push(bytes: Uint8Array): void {
    const end = bytes.length;
    for (let at = 0; at < end; ) at = this.state(bytes, at, end);
  }

  end(): Fields {
    if (this.state === this.start) throw broken("the body is empty");
    if (this.state !== this.rest) throw broken("the body ends too early");
    return this.fields;
  }

  private start(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) return at + 1;
    if (byte === OPEN) {
      this.state = this.keyOrEnd;
      return at + 1;
    }
    if (/["\d[tfn-]/.test(String.fromCharCode(byte))) throw invalid("wrong_type", "the body must be a JSON object");
    throw broken("the body is not JSON");
  }

  private keyOrEnd(bytes: Uint8Array, at: number): number {
    if (bytes[at] === CLOSE) {
      this.state = this.rest;
      return at + 1;
    }
    return this.beforeKey(bytes, at);
  }

  private beforeKey(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) return at + 1;
    if (byte !== QUOTE) throw broken("a field's name is missing");
    this.begin(this.inKey);
    return at;
  }

  private inKey(bytes: Uint8Array, at: number, end: number): number {
    const next = this.capture(bytes, at, end);
    if (next === null) return end;
    const key: unknown = this.parse("a field's name is not valid JSON");
    if (typeof key !== "string" || this.fields.has(key)) throw broken("a field stands twice in the body");
    this.key = key;
    this.state = this.colon;
    return next;
  }

  private colon(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) return at + 1;
    if (byte !== COLON) throw broken("a colon is missing behind a field's name");
    this.state = this.value;
    return at + 1;
  }

  private value(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) return at + 1;
    const shape = this.options.shapes[this.key] ?? "json";
    if (shape === "base64" && byte === QUOTE) {
      this.decoder = new Base64Decoder(this.key, this.options.guess);
      this.state = this.inBase64;
      return at + 1;
    }
    if (shape === "list" && byte === OPEN_LIST) {
      this.list = [];
      this.state = this.entryOrEnd;
      return at + 1;
    }
    this.begin(this.inValue);
    return at;
  }

  private inValue(bytes: Uint8Array, at: number, end: number): number {
    const next = this.capture(bytes, at, end);
    if (next === null) return end;
    this.keep(this.parse(`${this.key} is not valid JSON`));
    return next;
  }

  private entryOrEnd(bytes: Uint8Array, at: number): number {
    if (bytes[at] === CLOSE_LIST && this.list?.length === 0) return this.endOfList(at);
    return this.entry(bytes, at);
  }

  private entry(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) return at + 1;
    const count = this.list?.length ?? 0;
    const path = `${this.key}[${count}]`;
    if (byte !== QUOTE) throw invalid("wrong_type", `${path} must be a base64 string`, path);
    if (count >= this.options.listEntriesMax) {
      throw invalid("too_many", `${this.key} has more than ${this.options.listEntriesMax} entries`, this.key);
    }
    this.decoder = new Base64Decoder(path);
    this.state = this.inBase64;
    return at + 1;
  }

  private afterEntry(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) return at + 1;
    if (byte === CLOSE_LIST) return this.endOfList(at);
    if (byte !== COMMA) throw broken(`${this.key} is not valid JSON`);
    this.state = this.entry;
    return at + 1;
  }

  private endOfList(at: number): number {
    this.keep(this.list ?? []);
    this.list = null;
    return at + 1;
  }

  private inBase64(bytes: Uint8Array, at: number, end: number): number {
    const decoder = this.decoder as Base64Decoder;
    const next = decoder.push(bytes, at, end);
    if (next === end) return end;
    if (bytes[next] === QUOTE) {
      const decoded = decoder.end();
      this.decoder = null;
      if (this.list === null) this.keep(decoded);
      else {
        this.list.push(decoded);
        this.state = this.afterEntry;
      }
      return next + 1;
    }
    if (bytes[next] !== BACKSLASH) throw broken(`${this.key} has a control character in it`);
    this.escape = "";
    this.state = this.inEscape;
    return next + 1;
  }

  private inEscape(bytes: Uint8Array, at: number): number {
    this.escape += String.fromCharCode(bytes[at] ?? 0);
    const [kind = ""] = this.escape;
    if (kind === "u" && this.escape.length < 5) return at + 1;
    const code = kind === "u" ? hexCode(this.escape.slice(1)) : ESCAPES[kind];
    if (code === undefined) throw broken(`${this.key} has an escape in it that JSON does not know`);
    this.decoder?.character(code);
    this.state = this.inBase64;
    return at + 1;
  }

  private afterValue(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (isSpace(byte)) return at + 1;
    if (byte !== COMMA && byte !== CLOSE) throw broken("a comma is missing between two fields");
    this.state = byte === COMMA ? this.beforeKey : this.rest;
    return at + 1;
  }

  private rest(bytes: Uint8Array, at: number): number {
    if (!isSpace(bytes[at] ?? 0)) throw broken("something stands behind the end of the object");
    return at + 1;
  }

  private keep(value: unknown): void {
    this.fields.set(this.key, value);
    this.state = this.afterValue;
  }

  private begin(state: typeof this.state): void {
    this.text = new ByteSink();
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    this.state = state;
  }

  /** Collects the text of one value; where it ended, or null while it goes on. */
  private capture(bytes: Uint8Array, start: number, end: number): number | null {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) {
          this.inString = false;
          if (this.depth === 0) return this.captured(bytes, start, at + 1);
        }
      } else if (byte === QUOTE) this.inString = true;
      else if (byte === OPEN || byte === OPEN_LIST) {
        this.depth++;
        if (this.depth > DEPTH_MAX) throw broken(`the body is nested deeper than ${DEPTH_MAX} levels`);
      } else if (this.depth === 0 && (byte === COMMA || byte === CLOSE || isSpace(byte))) {
        return this.captured(bytes, start, at);
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        this.depth--;
        if (this.depth <= 0) return this.captured(bytes, start, at + 1);
      }
    }
    this.captured(bytes, start, end);
    return null;
  }

  private captured(bytes: Uint8Array, start: number, end: number): number {
    if (this.text.length + end - start > this.options.fieldBytesMax) {
      throw tooLarge(this.state === this.inKey ? "a field's name" : this.key, this.options.fieldBytesMax);
    }
    this.text.add(bytes.subarray(start, end));
    return end;
  }

  private parse(message: string): unknown {
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.text.finish()));
    } catch {
      throw broken(message);
    }
  }
}

function hexCode(digits: string): number | undefined {
  return /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
