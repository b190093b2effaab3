import type { ChunkingStrategy } from "../../contract/assistants/parts.ts";
import { threadFile } from "../../lib/thread-file.ts";
import type { Chunk } from "../search/chunk.ts";
import { type FileKind, readBytes } from "./read-bytes.ts";
import type { ReadAsk } from "./read-worker.ts";
import { UnreadableFile } from "./unreadable-file.ts";

export { UnreadableFile };

const BYTES_MAX = 64 * 1024 * 1024;
/** Text of up to this size is read where it is asked for: a thread of its own would take longer than the reading. */
const AT_ONCE_BYTES_MAX = 64 * 1024;
const READ_MAX_MS = 60_000;
/** By which the process may grow meanwhile: a small file can unpack to any size, and threads have their memory in common. */
const READ_MEMORY_MAX = 1024 * 1024 * 1024;
const WATCH_MS = 50;

export interface Reading {
  readonly chunking: ChunkingStrategy;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
  readonly memoryMax?: number;
  readonly timeMaxMs?: number;
}

/**
 * The text of a file in passages. Whatever takes longer than a blink is done in a thread of its own, which ends with the file:
 * one that is made to take for ever, or all memory, takes nothing from anybody else.
 */
export async function readFile(name: string, bytes: ReadableStream<Uint8Array>, reading: Reading): Promise<Chunk[]> {
  const whole = await gather(bytes);
  const kind = kindOf(name, whole);
  if (kind === "text" && whole.length <= AT_ONCE_BYTES_MAX) return readBytes(kind, whole, reading.chunking);
  return readApart({ kind, bytes: whole, chunking: reading.chunking }, reading);
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

type Answer =
  | { readonly chunks: Chunk[] }
  | { readonly code: UnreadableFile["code"]; readonly message: string }
  | { readonly fault: string };

async function readApart(ask: ReadAsk, { signal, memoryMax, timeMaxMs }: Reading): Promise<Chunk[]> {
  signal?.throwIfAborted();
  const worker = new Worker(threadFile(import.meta.url, "read-worker"), { smol: true });
  const answered = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => answered.resolve({ fault: "it takes too long" }), timeMaxMs ?? READ_MAX_MS);
  const begunWith = process.memoryUsage.rss();
  const watch = setInterval(() => {
    const isTooMuch = process.memoryUsage.rss() - begunWith > (memoryMax ?? READ_MEMORY_MAX);
    if (isTooMuch) answered.resolve({ fault: "it takes too much memory" });
  }, WATCH_MS);
  const leave = () => answered.reject(signal?.reason);
  signal?.addEventListener("abort", leave);
  worker.onmessage = ({ data }: MessageEvent) => answered.resolve(data);
  worker.onerror = ({ message }) => answered.resolve({ fault: message });
  worker.postMessage(ask);
  try {
    const answer = await answered.promise;
    if ("chunks" in answer) return answer.chunks;
    if ("code" in answer) throw new UnreadableFile(answer.code, answer.message);
    const kind = ask.kind === "text" ? "text" : ask.kind.toUpperCase();
    throw new UnreadableFile("invalid_file", `The ${kind} file cannot be read: ${answer.fault.slice(0, 200)}`);
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal?.removeEventListener("abort", leave);
    worker.terminate();
  }
}
