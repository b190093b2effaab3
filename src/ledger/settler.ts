import { isDatabaseAway } from "../contract/database-away.ts";
import type { Clock } from "../lib/clock.ts";
import type { SerialQueue } from "../lib/serial-queue.ts";
import type { Cancel, Timers } from "../lib/timers.ts";
import { costsByPot, type EndedCall, type SettleOutcome, type SettleStore } from "./settle-store.ts";

export interface SettlerDeps {
  readonly store: Pick<SettleStore, "settle">;
  readonly owner: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: SerialQueue;
  /** A batch is in the database. */
  readonly onSettled: (calls: readonly EndedCall[], costs: ReadonlyMap<string, bigint>, outcome: SettleOutcome) => void;
  readonly onFault: (thrown: unknown, what: string) => void;
}

/** Each batch costs a dozen statements whatever its size: at 2,500 calls a second batches of a fifth of a second are 500 calls. */
const BATCH_MAX = 2_000;
/** What is done for each key of a batch keeps the main thread for some 80 µs, and all others wait until it is done for all. */
const BATCH_KEYS_MAX = 200;
const PAUSE_MS = 200;
const HURRY_MS = 20;
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5_000;

/** Brings ended calls into the database, in batches, each until it is there. */
export class Settler {
  /** By id, in the order in which they came. */
  private readonly queue = new Map<string, EndedCall>();
  private timer: Cancel | null = null;
  private hurries = false;
  private retryMs = RETRY_MIN_MS;
  private settling: Promise<boolean> | null = null;
  /** Calls that the database refuses though it is there: a fault of the program. They stay in the journal. */
  private stuck = 0;
  /** Since when the database has taken nothing. */
  private failingSinceMs: number | null = null;

  constructor(private readonly deps: SettlerDeps) {}

  /** False for a call that waits already. */
  add(call: EndedCall): boolean {
    const { id } = call.record;
    if (this.queue.has(id)) return false;
    this.queue.set(id, call);
    this.schedule(PAUSE_MS);
    return true;
  }

  get standing() {
    const [oldest] = this.queue.values();
    const { queue, stuck, failingSinceMs, deps } = this;
    const now = deps.clock.nowMs();
    const endedAt = oldest === undefined ? now : oldest.record.at + oldest.record.latencyMs;
    const failingMs = failingSinceMs === null ? 0 : deps.clock.monotonicMs() - failingSinceMs;
    return { waiting: queue.size, lagMs: Math.max(0, now - endedAt), stuck, failingMs };
  }

  /** Settles all that waits. False if the database did not take it; it is tried again by itself. Never throws. */
  flush(): Promise<boolean> {
    if (!this.settling) return this.begin(Number.POSITIVE_INFINITY);
    return this.settling.then((done) => (done && this.queue.size > 0 ? this.flush() : done));
  }

  /** Somebody waits for what these calls leave: they go with a batch that comes sooner. */
  flushSoon(): void {
    if (this.timer === null || this.failingSinceMs !== null || this.hurries) return;
    this.stop();
    this.hurries = true;
    this.schedule(HURRY_MS);
  }

  stop(): void {
    this.timer?.();
    this.timer = null;
  }

  private schedule(ms: number): void {
    this.timer ??= this.deps.timers.after(ms, () => {
      this.timer = null;
      this.hurries = false;
      void this.settleDue();
    });
  }

  /** What waits now. What comes meanwhile waits for its own turn: else a busy process would settle a few calls at a time. */
  private async settleDue(): Promise<void> {
    const done = this.settling === null ? await this.begin(this.queue.size) : true;
    if (done && this.queue.size > 0) this.schedule(PAUSE_MS);
  }

  private begin(calls: number): Promise<boolean> {
    this.settling = this.run(calls).finally(() => {
      this.settling = null;
    });
    return this.settling;
  }

  private async run(calls: number): Promise<boolean> {
    let left = calls;
    while (left > 0 && this.queue.size > 0) {
      const batch = this.nextBatch();
      left -= batch.length;
      try {
        await this.settle(batch);
        this.retryMs = RETRY_MIN_MS;
        this.failingSinceMs = null;
      } catch (thrown) {
        this.failingSinceMs ??= this.deps.clock.monotonicMs();
        this.deps.onFault(thrown, "usage cannot be settled; trying again");
        this.schedule(this.retryMs);
        this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
        return false;
      }
    }
    return true;
  }

  private nextBatch(): readonly EndedCall[] {
    const batch: EndedCall[] = [];
    const keys = new Set<string>();
    for (const call of this.queue.values()) {
      keys.add(call.record.keyId);
      if (batch.length === BATCH_MAX || keys.size > BATCH_KEYS_MAX) break;
      batch.push(call);
    }
    return batch;
  }

  /** Throws only while the database is away. A call that it refuses is found by halving, so that the others go on. */
  private async settle(calls: readonly EndedCall[]): Promise<void> {
    const { store, owner, clock, turns, onSettled, onFault } = this.deps;
    try {
      // Memory follows within the turn, before the next one reads leases.
      await turns.run(async () => {
        const outcome = await store.settle(owner, calls, clock.nowMs());
        this.leave(calls);
        onSettled(calls, costsByPot(calls), outcome);
      });
    } catch (thrown) {
      if (isDatabaseAway(thrown)) throw thrown;
      if (calls.length === 1) {
        this.stuck++;
        this.leave(calls);
        onFault(thrown, `the call ${calls[0]?.record.id} cannot be settled; it stays in the journal`);
        return;
      }
      const half = Math.ceil(calls.length / 2);
      await this.settle(calls.slice(0, half));
      await this.settle(calls.slice(half));
    }
  }

  private leave(calls: readonly EndedCall[]): void {
    for (const { record } of calls) this.queue.delete(record.id);
  }
}
