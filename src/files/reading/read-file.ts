import type { ChunkingStrategy } from "../../contract/assistants/parts.ts";
import type { Chunk } from "../search/chunk.ts";
import { type FileKind, readBytes } from "./read-bytes.ts";
import { type ReaderProcess, type ReaderTask, startReader } from "./reader-process.ts";
import type { ReadingEnd, ReadingQueue, ReadingTicket } from "./reading-queue.ts";
import { UnreadableFile } from "./unreadable-file.ts";

export { UnreadableFile };

const MIB = 1024 * 1024;
const BYTES_MAX = 64 * MIB;
/** Text of up to this size is read in this process: starting a reader would take longer than the reading. */
const READ_HERE_BYTES_MAX = 64 * 1024;
const READ_MAX_MS = 60_000;
/** The resident memory of a reader, its own 60 MiB included. */
const READER_MEMORY_MAX = 448 * MIB;
/** How long a reading continues when another tenant waits. */
const TURN_MS = 5_000;
const YIELD_CHECK_MS = 500;

export interface Reading {
  readonly name: string;
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
  readonly chunking: ChunkingStrategy;
  readonly ticket: ReadingTicket;
  readonly queue: ReadingQueue;
  /** Ends the reading early. */
  readonly signal: AbortSignal;
  readonly memoryBytesMax?: number;
  readonly timeMsMax?: number;
  readonly turnMs?: number;
}

/** The reading was ended for another tenant's document and must start again. */
export class ReadingInterrupted extends Error {}

/**
 * The text of a file in passages. A document of more than a little text is read in its turn by a separate process with
 * a limit of memory and time, so that it can only harm itself.
 */
export async function readFile(reading: Reading): Promise<Chunk[]> {
  const head = await gather(await reading.open(), READ_HERE_BYTES_MAX + 1);
  const kind = kindOf(reading.name, head);
  if (kind === "text" && head.length <= READ_HERE_BYTES_MAX) return readBytes(kind, head, reading.chunking);
  const { queue, ticket, signal } = reading;
  let end: ReadingEnd = "done";
  try {
    await unlessAborted(queue.enter(ticket), signal);
    const bytes = await gather(await reading.open(), BYTES_MAX + 1);
    if (bytes.length > BYTES_MAX)
      throw new UnreadableFile("invalid_file", `Files of up to ${BYTES_MAX / MIB} MiB can be searched.`);
    return await readApart(kind, bytes, reading);
  } catch (thrown) {
    if (thrown instanceof ReadingInterrupted) end = "interrupted";
    if (thrown instanceof ReaderKilled) end = "killed";
    throw thrown;
  } finally {
    queue.leave(ticket.id, end);
  }
}

/** The first bytes of a stream, at most so many. */
async function gather(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytesMax) break;
  }
  return new Uint8Array(Buffer.concat(chunks, Math.min(size, bytesMax)));
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
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

/** A document that its reader could not survive. It is not read again. */
class ReaderKilled extends UnreadableFile {}

async function readApart(kind: FileKind, bytes: Uint8Array<ArrayBuffer>, reading: Reading): Promise<Chunk[]> {
  const { chunking, signal, memoryBytesMax = READER_MEMORY_MAX, timeMsMax = READ_MAX_MS } = reading;
  const task: ReaderTask = { kind, chunking, memoryBytesMax, timeMsMax };
  const startedAt = performance.now();
  const reader = startReader(task, bytes);
  const interrupted = interruption(reading);
  try {
    const result = await unlessAborted(Promise.race([reader.result, interrupted.promise]), signal);
    const what = `The ${kind === "text" ? "text" : kind.toUpperCase()} file cannot be read`;
    if (result === null) {
      const isLate = performance.now() - startedAt >= timeMsMax;
      throw new ReaderKilled("invalid_file", `${what}: it takes too ${isLate ? "long" : "much memory"}.`);
    }
    if ("chunks" in result) return result.chunks;
    if ("code" in result) throw new UnreadableFile(result.code, result.message);
    throw new UnreadableFile("invalid_file", `${what}: ${result.fault.slice(0, 200)}`);
  } finally {
    interrupted.stop();
    await ended(reader);
  }
}

/** The next document is not admitted before the memory of this one is free. */
async function ended(reader: ReaderProcess): Promise<void> {
  reader.kill();
  await reader.result.catch(() => null);
}

/** Rejects when the reading has had its turn and another tenant waits. */
function interruption({ queue, ticket, turnMs = TURN_MS }: Reading) {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer = setTimeout(check, turnMs);
  async function check(): Promise<void> {
    if (await queue.mustYield(ticket.id).catch(() => false)) reject(new ReadingInterrupted());
    else if (!isStopped) timer = setTimeout(check, YIELD_CHECK_MS);
  }
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
    promise.catch(() => undefined);
  };
  return { promise, stop };
}
