import { availableParallelism } from "node:os";
import { threadFile } from "../../lib/thread-file.ts";
import { computePart, type Job, type Part } from "./job.ts";
import type { Span } from "./values.ts";

/** Below so many numbers a thread costs more than it saves. */
const SMALLEST_SPAN = 262_144;
const ALIGNED = 4096;

/** Threads that share the numbers of a model among them. Every number is computed by itself, so their count never shows. */
export class Aggregators {
  private readonly workers: Worker[] = [];

  constructor(private readonly threads = availableParallelism()) {}

  async run(job: Job, models: readonly SharedArrayBuffer[]): Promise<Float32Array> {
    const length = (models[0]?.byteLength ?? 0) / 4;
    const out = new SharedArrayBuffer(length * 4);
    const [first, ...others] = spansOf(length, this.threads).map((span): Part => ({ job, models, out, span }));
    const running = others.map((part, at) => this.send(at, part));
    if (first !== undefined) computePart(first);
    await Promise.all(running);
    return new Float32Array(out);
  }

  close(): void {
    for (const worker of this.workers.splice(0)) worker.terminate();
  }

  private send(at: number, part: Part): Promise<void> {
    this.workers[at] ??= new Worker(threadFile(import.meta.url, "aggregation-worker"));
    const worker = this.workers[at];
    return new Promise((resolve, reject) => {
      worker.onmessage = () => resolve();
      worker.onerror = (event) => reject(new Error(`a thread of the aggregation failed: ${event.message}`));
      worker.postMessage(part);
    });
  }
}

export function spansOf(length: number, threads: number): Span[] {
  const count = Math.max(1, Math.min(threads, Math.floor(length / SMALLEST_SPAN)));
  const size = Math.ceil(length / count / ALIGNED) * ALIGNED;
  const spans: Span[] = [];
  for (let from = 0; from < length; from += size) spans.push({ from, to: Math.min(length, from + size) });
  return spans;
}

/** Numbers where every thread can read them. */
export function shared(values: Float32Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(values.length * 4);
  new Float32Array(buffer).set(values);
  return buffer;
}
