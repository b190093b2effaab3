import { availableParallelism } from "node:os";
import { threadFile } from "../../lib/thread-file.ts";
import { CHUNK, joinMeasured, type Measured, type MeasuredPart } from "../aggregate/measure.ts";
import type { Span } from "../aggregate/values.ts";
import { type StrategySpec, strategyOf } from "../strategies/strategies.ts";
import type { StrategyState } from "../strategies/strategy.ts";
import { lengthOfSource } from "./source.ts";
import { computePart, type FoldWork, type MeasureWork, type Part, type Work } from "./work.ts";

/** Below so many numbers in all a thread costs more than it saves. */
const SMALL_WORK = 1_048_576;
/** Fewer numbers of a model than this are not given to a thread of their own. */
const SMALLEST_SPAN = 2 * CHUNK;

interface Answer {
  readonly result?: MeasuredPart | null;
  readonly failure?: string;
}

/**
 * Threads that share the numbers of a model among them, so that the one that asks stays free. Every number is computed by itself
 * and sums are cut at fixed places, so their count never shows.
 */
export class Aggregators {
  private readonly workers: Worker[] = [];
  /** Results are written over those before: memory that threads share is not given back soon. */
  private readonly buffers = new Map<string, SharedArrayBuffer>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly threads = availableParallelism()) {}

  async measure(work: Omit<MeasureWork, "kind">): Promise<Measured> {
    const { changes, compared } = work;
    const [first] = changes;
    if (first === undefined) return { products: [], notFinite: [] };
    const parts = await this.run({ kind: "measure", ...work }, lengthOfSource(first.values), changes.length);
    const measured = parts.filter((part) => part !== null);
    return joinMeasured(changes.length, new Set(compared), measured);
  }

  /** What comes back is whole until the next call. */
  async fold(
    work: Omit<FoldWork, "kind" | "out" | "memoryOut">,
  ): Promise<{ values: Float32Array; state: StrategyState }> {
    const [first] = work.changes;
    if (first === undefined) throw new RangeError("there is nothing to aggregate");
    const length = lengthOfSource(first.values);
    const memoryOut = Object.fromEntries(namesOf(work.strategy).map((name) => [name, this.buffer(name, length)]));
    const out = this.buffer("", length);
    await this.run({ kind: "fold", ...work, out, memoryOut }, length, work.changes.length);
    const state = Object.entries(memoryOut).map(([name, values]) => [name, new Float32Array(values)] as const);
    return { values: new Float32Array(out), state: new Map(state) };
  }

  close(): void {
    for (const worker of this.workers.splice(0)) worker.terminate();
  }

  private buffer(name: string, length: number): SharedArrayBuffer {
    const known = this.buffers.get(name);
    const buffer = known?.byteLength === length * 4 ? known : new SharedArrayBuffer(length * 4);
    this.buffers.set(name, buffer);
    return buffer;
  }

  /** One work after another; the parts of one at the same time. */
  private run(work: Work, length: number, models: number): Promise<Array<MeasuredPart | null>> {
    const whole = { from: 0, to: length };
    const running = this.last.then(() => {
      if (length * models < SMALL_WORK) return [computePart({ ...work, span: whole })];
      return Promise.all(spansOf(length, this.threads).map((span, at) => this.send(at, { ...work, span })));
    });
    this.last = running.catch(() => undefined);
    return running;
  }

  private send(at: number, part: Part): Promise<MeasuredPart | null> {
    const worker = this.workers[at] ?? new Worker(threadFile(import.meta.url, "aggregation-worker"));
    this.workers[at] = worker;
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Answer>) =>
        data.failure === undefined ? resolve(data.result ?? null) : reject(new Error(data.failure));
      worker.onerror = (event) => reject(new Error(`a thread of the aggregation failed: ${event.message}`));
      worker.postMessage(part);
    });
  }
}

const namesOf = (spec: StrategySpec): string[] => Object.keys(strategyOf(spec).memory);

export function spansOf(length: number, threads: number): Span[] {
  const count = Math.max(1, Math.min(threads, Math.floor(length / SMALLEST_SPAN)));
  const size = Math.ceil(length / count / CHUNK) * CHUNK;
  const spans: Span[] = [];
  for (let from = 0; from < length; from += size) spans.push({ from, to: Math.min(length, from + size) });
  return spans;
}
