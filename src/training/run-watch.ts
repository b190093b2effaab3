import { GatewayError } from "../contract/errors.ts";
import { isEnded, type TrainingEvent, type TrainingRun } from "./records.ts";
import type { TrainingStores } from "./store.ts";

const BATCH = 100;
/** What other processes have written is seen after this long; what this one has, at once. */
const LOOK_MS = 1_000;
/** How often it is asked, while nothing happens, whether somebody may still look. */
const ALLOWED_MS = 5_000;
/** Whoever watches for longer comes back for the rest. */
const STREAM_MAX_MS = 10 * 60_000;
const STREAMS_MAX = 500;
/** Nobody's watching may take the place of all others. */
const SHARE_MAX = 0.2;

/** What happens in runs, as it happens, from any event on. */
export class RunWatch {
  private readonly waiting = new Map<string, Set<() => void>>();
  private streams = 0;
  private readonly streamsOf = new Map<string, number>();
  private stopped = false;

  constructor(
    private readonly stores: TrainingStores,
    /** Streams would hold up a process that is about to end. */
    private readonly isClosed: () => boolean,
    private readonly streamsMax = STREAMS_MAX,
    private readonly allowedMs = ALLOWED_MS,
  ) {}

  /** Something has happened in a run. */
  readonly wake = (runId: string): void => {
    for (const go of this.waiting.get(runId) ?? []) go();
  };

  /** Nothing is watched any more. */
  stop(): void {
    this.stopped = true;
    for (const runId of this.waiting.keys()) this.wake(runId);
  }

  /**
   * Null now and then, while nothing happens. Ends with the run, when somebody has watched for long enough, and soon after
   * somebody may not look any more: before anything else is told.
   */
  watch(
    run: TrainingRun,
    after: number,
    signal: AbortSignal,
    mayLook: () => Promise<boolean>,
  ): AsyncGenerator<TrainingEvent | null> {
    // Said before the first byte: afterwards nothing can be said any more.
    const own = this.streamsOf.get(run.organizationId) ?? 0;
    if (this.streams >= this.streamsMax || own >= Math.ceil(this.streamsMax * SHARE_MAX))
      throw new GatewayError("unavailable", "Too many watch; try again shortly.");
    return this.follow(run, after, signal, mayLook);
  }

  private async *follow(
    { id, organizationId, status, eventsMade }: TrainingRun,
    after: number,
    signal: AbortSignal,
    mayLook: () => Promise<boolean>,
  ): AsyncGenerator<TrainingEvent | null> {
    this.count(organizationId, 1);
    try {
      const until = performance.now() + STREAM_MAX_MS;
      // A number that is not of this run would wait for an event that never comes.
      let number = Math.min(after, eventsMade);
      let over = isEnded(status) && eventsMade <= after;
      let askedAt = performance.now();
      while (!over && !signal.aborted && !this.stopped && !this.isClosed() && performance.now() < until) {
        const events = await this.stores.events.listAfter(id, number, BATCH);
        if (events.length > 0 || performance.now() - askedAt >= this.allowedMs) {
          if (!(await mayLook())) return;
          askedAt = performance.now();
        }
        for (const event of events) {
          yield event;
          number = event.number;
          // A run that was completed may have returned to an earlier round since.
          over = event.kind === "status" && isEnded(event.data.status) && number >= eventsMade;
        }
        if (over || events.length > 0) continue;
        await this.pause(id, signal);
        yield null;
      }
    } finally {
      this.count(organizationId, -1);
    }
  }

  private count(organizationId: string, more: 1 | -1): void {
    this.streams += more;
    const own = (this.streamsOf.get(organizationId) ?? 0) + more;
    if (own > 0) this.streamsOf.set(organizationId, own);
    else this.streamsOf.delete(organizationId);
  }

  private async pause(runId: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = this.waiting.get(runId) ?? new Set();
    this.waiting.set(runId, all.add(resolve));
    const timer = setTimeout(resolve, LOOK_MS);
    const end = () => resolve();
    signal.addEventListener("abort", end, { once: true });
    await promise;
    clearTimeout(timer);
    // One for every second that somebody watches would stay otherwise.
    signal.removeEventListener("abort", end);
    all.delete(resolve);
    if (all.size === 0) this.waiting.delete(runId);
  }
}
