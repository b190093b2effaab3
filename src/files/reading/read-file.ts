import { threadFile } from "../../lib/thread-file.ts";
import type { StoreEntry } from "../records.ts";

/** A file that cannot be searched, and why. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
  constructor(
    readonly code: NonNullable<StoreEntry["lastError"]>["code"],
    message: string,
  ) {
    super(message);
  }
}

export type FileKind = "pdf" | "docx" | "html" | "text";

const BYTES_MAX = 64 * 1024 * 1024;
/** More than a person reads in a week; a document that grows past it is none. */
const CHARACTERS_MAX = 20_000_000;
const READ_MAX_MS = 120_000;
/** By which the process may grow meanwhile: a small file can unpack to any size, and threads have their memory in common. */
const READ_MEMORY_MAX = 1024 * 1024 * 1024;
const WATCH_MS = 50;

/**
 * The text of a file. Documents of other people's making are taken apart in a thread of its own, which ends with them: one
 * that is made to take for ever, or all memory, takes nothing from anybody else.
 */
export async function readFile(
  name: string,
  bytes: ReadableStream<Uint8Array>,
  memoryMax = READ_MEMORY_MAX,
): Promise<string> {
  const whole = await gather(bytes);
  const kind = kindOf(name, whole);
  const text = kind === "text" ? decodeText(whole) : await readApart(kind, whole, memoryMax);
  const clean = text.replaceAll("\u0000", "").replace(/\r\n?/g, "\n").trim();
  if (clean === "") throw new UnreadableFile("invalid_file", "There is no text in the file.");
  if (clean.length > CHARACTERS_MAX) throw new UnreadableFile("invalid_file", "The file has too much text.");
  return clean;
}

async function gather(bytes: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > BYTES_MAX) {
      throw new UnreadableFile("invalid_file", `Files of up to ${BYTES_MAX / 1024 / 1024} MiB can be searched.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.subarray(0, text.length)).toString("latin1") === text;

/** By what a file begins with; a name alone says nothing. */
export function kindOf(name: string, bytes: Uint8Array): FileKind {
  if (startsWith(bytes, "%PDF-")) return "pdf";
  if (startsWith(bytes, "PK\u0003\u0004")) {
    if (/\.docx$/i.test(name)) return "docx";
    throw new UnreadableFile("unsupported_file", "Of archives and office files, `.docx` can be searched.");
  }
  const head = Buffer.from(bytes.subarray(0, 512)).toString("latin1").trimStart().toLowerCase();
  const looksLikeHtml = head.startsWith("<!doctype html") || head.startsWith("<html");
  return looksLikeHtml || /\.html?$/i.test(name) ? "html" : "text";
}

function decodeText(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile("unsupported_file", "The file is neither text nor a PDF, DOCX or HTML document.");
  }
}

async function readApart(kind: FileKind, bytes: Uint8Array, memoryMax: number): Promise<string> {
  const worker = new Worker(threadFile(import.meta.url, "read-worker"), { smol: true });
  const answered = Promise.withResolvers<{ readonly text: string } | { readonly fault: string }>();
  const timer = setTimeout(() => answered.resolve({ fault: "it takes too long" }), READ_MAX_MS);
  const begunWith = process.memoryUsage.rss();
  const watch = setInterval(() => {
    const isTooMuch = process.memoryUsage.rss() - begunWith > memoryMax;
    if (isTooMuch) answered.resolve({ fault: "it takes too much memory" });
  }, WATCH_MS);
  worker.onmessage = ({ data }: MessageEvent) => answered.resolve(data);
  worker.onerror = ({ message }) => answered.resolve({ fault: message });
  worker.postMessage({ kind, bytes });
  try {
    const answer = await answered.promise;
    if ("text" in answer) return answer.text;
    throw new UnreadableFile(
      "invalid_file",
      `The ${kind.toUpperCase()} file cannot be read: ${answer.fault.slice(0, 200)}`,
    );
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    worker.terminate();
  }
}
