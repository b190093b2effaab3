import type { ChunkingStrategy } from "../../contract/assistants/parts.ts";
import { READER_COMMAND } from "../../lib/command-name.ts";
import { ownProgram, passedEnvironment } from "../../lib/own-program.ts";
import type { Chunk } from "../search/chunk.ts";
import type { FileKind } from "./read-bytes.ts";
import type { UnreadableFile } from "./unreadable-file.ts";

/** The first line of the reader's input. The bytes of the document follow. */
export interface ReaderTask {
  readonly kind: FileKind;
  readonly chunking: ChunkingStrategy;
  /** The reader ends itself when its resident memory exceeds this. */
  readonly memoryBytesMax: number;
  readonly timeMsMax: number;
}

/** What the reader prints: the passages, or why there are none. */
export type ReaderResult =
  | { readonly chunks: Chunk[] }
  | { readonly code: UnreadableFile["code"]; readonly message: string }
  | { readonly fault: string };

export interface ReaderProcess {
  /** Null if the reader was killed before it had a result. */
  readonly result: Promise<ReaderResult | null>;
  kill(): void;
}

/** How much longer than its task a reader may take to start and to print. */
const MARGIN_MS = 10_000;

/** Starts a process for one document. Its memory returns to the system when it ends. */
export function startReader(task: ReaderTask, bytes: Uint8Array<ArrayBuffer>): ReaderProcess {
  const child = Bun.spawn(ownProgram([READER_COMMAND]), {
    stdin: new Blob([`${JSON.stringify(task)}\n`, bytes]),
    stdout: "pipe",
    stderr: "ignore",
    env: passedEnvironment(),
    timeout: task.timeMsMax + MARGIN_MS,
    killSignal: "SIGKILL",
  });
  return { result: resultOf(child), kill: () => child.kill("SIGKILL") };
}

async function resultOf(child: Bun.Subprocess<Blob, "pipe", "ignore">): Promise<ReaderResult | null> {
  const [text] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (child.signalCode === "SIGKILL") return null;
  // A library of the reader may have printed lines before the result.
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return line === "" ? { fault: "its reader ended early" } : (JSON.parse(line) as ReaderResult);
}
