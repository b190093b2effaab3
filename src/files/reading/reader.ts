import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { threadFile } from "../../lib/thread-file.ts";
import type { ReaderResult, ReaderTask } from "./reader-process.ts";

/**
 * A process that reads one document for a server. A thread reads; this thread measures the memory of the process and
 * kills it at its limit, also while the other one is busy.
 */
const WATCH_MS = 10;
const NICENESS = 10;
const NEWLINE = 10;

const end = (): boolean => process.kill(process.pid, "SIGKILL");

// Calls come first when both need the same core.
try {
  setPriority(NICENESS);
} catch {}
// When memory runs out, the kernel kills this process and not the server.
try {
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {}
// A terminal's Ctrl-C reaches this process too. The server decides when it ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

const input = new Uint8Array(await Bun.stdin.arrayBuffer());
const headEnd = input.indexOf(NEWLINE);
const task = JSON.parse(new TextDecoder().decode(input.subarray(0, headEnd))) as ReaderTask;
const bytes = input.slice(headEnd + 1);
setTimeout(end, task.timeMsMax);
setInterval(() => {
  if (process.memoryUsage.rss() > task.memoryBytesMax) end();
}, WATCH_MS);

const thread = new Worker(threadFile(import.meta.url, "read-worker"), { smol: true });
thread.onmessage = ({ data }: MessageEvent<ReaderResult>) => print(data);
thread.onerror = ({ message }) => print({ fault: message });
thread.postMessage({ kind: task.kind, chunking: task.chunking, bytes }, [bytes.buffer]);

async function print(result: ReaderResult): Promise<void> {
  await Bun.write(Bun.stdout, `\n${JSON.stringify(result)}`);
  process.exit(0);
}
