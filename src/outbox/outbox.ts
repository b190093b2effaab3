import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { Lane } from "./lane.ts";
import type { OutboxMessage, OutboxStore } from "./store.ts";

/** Brings one message to where it belongs. What it throws is a reason to try again; `Undeliverable` is a reason not to. */
export type Deliverer = (message: OutboxMessage) => Promise<void>;

/** It would fail the same way every time. */
export class Undeliverable extends Error {
  override readonly name = "Undeliverable";
}

export interface OutboxDeps {
  readonly store: OutboxStore;
  /** By the part of the topic before the first dot. A topic that nobody delivers here waits for a process that does. */
  readonly deliverers: Readonly<Record<string, Deliverer>>;
  readonly clock: Clock;
  readonly log: Logger;
}

const POLL_MS = 1_000;
/** Longer than any deliverer may take, so that nobody else takes a message that is still under way. */
const LEASE_MS = 3 * 60_000;
const FIRST_RETRY_MS = 1_000;
const RETRY_MAX_MS = 60 * 60_000;
const GIVE_UP_MS = 3 * 24 * 60 * 60_000;
const KEEP_MS = 7 * 24 * 60 * 60_000;
const PRUNE_EVERY_MS = 60 * 60_000;
const PRUNE_AGAIN_MS = 60_000;
const STOP_MAX_MS = 10_000;
const ERROR_CHARS_MAX = 500;

/**
 * Delivers what was written into the outbox together with what caused it: at least once, and by one process at a time. What
 * fails is tried again, after longer and longer pauses, for three days. Each deliverer has a lane of its own.
 */
export class Outbox {
  private readonly lanes: readonly Lane[];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running: Promise<number> | null = null;
  private stopped = false;
  private failing = false;
  private pruneAtMs = Number.NEGATIVE_INFINITY;
  private pruning: Promise<void> | null = null;

  constructor(private readonly deps: OutboxDeps) {
    this.lanes = Object.entries(deps.deliverers).map(
      ([prefix, deliver]) =>
        new Lane({
          claim: (limit) => this.claim(prefix, limit),
          deliver: (message) => this.deliver(deliver, message),
        }),
    );
  }

  /** Looks for messages from now on, until `stop`. */
  start(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      // Not waited for: what hangs must not keep others from being looked at.
      for (const lane of this.lanes) void this.watched(() => lane.look());
      void this.prune();
      this.start();
    }, POLL_MS);
  }

  /** What is under way is brought to its end, if that is soon; the rest stays in the database for the next start. */
  async stop(waitMaxMs = STOP_MAX_MS): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    const timeUp = Promise.withResolvers<void>();
    const timer = setTimeout(timeUp.resolve, waitMaxMs);
    const underWay = [...this.lanes.map((lane) => lane.settled()), this.pruning];
    await Promise.race([Promise.all(underWay), timeUp.promise]);
    clearTimeout(timer);
  }

  /** Delivers what is due now; gives how many messages were tried. Never throws. */
  deliverDue(): Promise<number> {
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async run(): Promise<number> {
    const tried = await Promise.all(this.lanes.map((lane) => this.watched(() => lane.clear())));
    await this.prune();
    return tried.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  }

  private async watched<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (thrown) {
      // While the database is away this would be a line for each look.
      if (!this.failing) this.deps.log.warn({ err: thrown }, "the outbox cannot be read; trying again");
      this.failing = true;
      return null;
    }
  }

  private async claim(prefix: string, limit: number): Promise<readonly OutboxMessage[]> {
    if (this.stopped) return [];
    const now = this.deps.clock.nowMs();
    const messages = await this.deps.store.claim(prefix, now, now + LEASE_MS, limit);
    this.failing = false;
    return messages;
  }

  private async deliver(deliver: Deliverer, message: OutboxMessage): Promise<void> {
    const { store, clock, log } = this.deps;
    try {
      await deliver(message);
    } catch (thrown) {
      const now = clock.nowMs();
      const reason = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, ERROR_CHARS_MAX);
      const { id, topic, attempts } = message;
      const dueAt = now + retryDelayMs(attempts);
      if (thrown instanceof Undeliverable || dueAt - message.createdAt > GIVE_UP_MS) {
        log.error({ id, topic, attempts, reason }, "a message could not be delivered and was given up");
        return store.failed(message, now, reason);
      }
      log.warn({ id, topic, attempts, reason }, "a message could not be delivered; it will be tried again");
      return store.postpone(message, dueAt, reason);
    }
    await store.sent(message, clock.nowMs());
  }

  /** Now and then; never throws. */
  private prune(): Promise<void> {
    if (this.pruning) return this.pruning;
    const now = this.deps.clock.nowMs();
    if (now < this.pruneAtMs) return Promise.resolve();
    this.pruning = this.pruneBefore(now - KEEP_MS)
      .then((isDone) => {
        this.pruneAtMs = now + (isDone ? PRUNE_EVERY_MS : PRUNE_AGAIN_MS);
      })
      .finally(() => {
        this.pruning = null;
      });
    return this.pruning;
  }

  private async pruneBefore(at: number): Promise<boolean> {
    try {
      await this.deps.store.prune(at);
      return true;
    } catch (thrown) {
      this.deps.log.warn({ err: thrown }, "old messages of the outbox could not be removed; trying again in a minute");
      return false;
    }
  }
}

/** One second, two, four, up to an hour. */
export const retryDelayMs = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 30), RETRY_MAX_MS);
