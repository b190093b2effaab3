import { invalid, tooLarge } from "../failure.ts";
import { ByteSink } from "./byte-sink.ts";
import type { Fields } from "./fields.ts";

const HEADERS_MAX = 16 * 1024;
const CRLF = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");

interface MultipartOptions {
  readonly metaBytesMax: number;
  readonly entriesMax: number;
  readonly guess: number;
}

const broken = (message: string) => invalid("invalid_multipart", `the multipart body is broken: ${message}`);

/** The boundary of a `multipart/form-data` type. */
export function boundaryOf(contentType: string): string {
  const found = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2] ?? "";
  if (boundary === "" || boundary.length > 70) throw broken("its type names no usable boundary");
  return boundary;
}

/** Reads `meta` (JSON, first) and then `parameters`, one or many in order, while they arrive. */
export class MultipartScanner {
  private readonly delimiter: Buffer;
  private carry: Buffer<ArrayBufferLike> = CRLF;
  private state: "preamble" | "behind" | "headers" | "data" | "end" = "preamble";
  private part = "";
  private sink = new ByteSink();
  private meta: unknown;
  private readonly parts: Uint8Array[] = [];

  constructor(
    boundary: string,
    private readonly options: MultipartOptions,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  push(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.carry = this.carry.length === 0 ? piece : Buffer.concat([this.carry, piece]);
    while (this.step());
    // What is kept is short: its memory must not hold the whole piece back.
    if (this.carry.length > 0) this.carry = Buffer.from(this.carry);
  }

  end(): Fields {
    if (this.state !== "end") throw broken("it ends too early");
    if (this.meta !== undefined && (typeof this.meta !== "object" || this.meta === null || Array.isArray(this.meta))) {
      throw invalid("wrong_type", "meta must be a JSON object", "meta");
    }
    const fields: Fields = new Map(Object.entries(this.meta ?? {}));
    if (this.parts.length > 0) {
      fields.set("parameters", this.parts[0]);
      fields.set("parameters_list", this.parts);
    }
    return fields;
  }

  private step(): boolean {
    switch (this.state) {
      case "preamble":
      case "data":
        return this.untilDelimiter();
      case "behind":
        return this.behindDelimiter();
      case "headers":
        return this.headers();
      default:
        this.carry = this.carry.subarray(this.carry.length);
        return false;
    }
  }

  private untilDelimiter(): boolean {
    const found = this.carry.indexOf(this.delimiter);
    const safe = found >= 0 ? found : Math.max(0, this.carry.length - this.delimiter.length + 1);
    if (this.state === "data") this.collect(this.carry.subarray(0, safe));
    if (found < 0) {
      this.carry = this.carry.subarray(safe);
      return false;
    }
    if (this.state === "data") this.endOfPart();
    this.carry = this.carry.subarray(found + this.delimiter.length);
    this.state = "behind";
    return true;
  }

  private behindDelimiter(): boolean {
    if (this.carry.length < 2) return false;
    const next = this.carry.toString("latin1", 0, 2);
    if (next !== "--" && next !== "\r\n") throw broken("a boundary is followed by something else");
    // The line break stays: a part without headers begins with it.
    if (next === "--") this.carry = this.carry.subarray(2);
    this.state = next === "--" ? "end" : "headers";
    return true;
  }

  private headers(): boolean {
    const end = this.carry.indexOf(BLANK_LINE);
    if (end < 0) {
      if (this.carry.length > HEADERS_MAX) throw broken("the headers of a part are too long");
      return false;
    }
    const text = this.carry.toString("latin1", 0, end);
    this.part = /^content-disposition:[^\r\n]*;\s*name="?([^";\r\n]*)"?/im.exec(text)?.[1] ?? "";
    if (this.part === "meta" && (this.meta !== undefined || this.parts.length > 0)) {
      throw broken("meta comes first, and once");
    }
    if (this.part === "parameters" && this.parts.length >= this.options.entriesMax) {
      throw invalid("too_many", `there are more than ${this.options.entriesMax} parts of parameters`, "parameters");
    }
    this.sink = new ByteSink(this.part === "parameters" && this.parts.length === 0 ? this.options.guess : 0);
    this.carry = this.carry.subarray(end + BLANK_LINE.length);
    this.state = "data";
    return true;
  }

  private collect(bytes: Uint8Array): void {
    if (this.part !== "meta" && this.part !== "parameters") return;
    if (this.part === "meta" && this.sink.length + bytes.length > this.options.metaBytesMax) {
      throw tooLarge("meta", this.options.metaBytesMax);
    }
    this.sink.add(bytes);
  }

  private endOfPart(): void {
    const bytes = this.sink.finish();
    this.sink = new ByteSink();
    if (this.part === "parameters") this.parts.push(bytes);
    if (this.part !== "meta") return;
    try {
      this.meta = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    } catch {
      throw invalid("invalid_json", "meta is not valid JSON", "meta");
    }
  }
}
