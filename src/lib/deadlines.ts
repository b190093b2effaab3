/** How often deadlines are looked at; a limit is kept to within this. */
const TICK_MS = 100;

/** Something that has to happen by a time. */
export interface Deadline {
  /** Aborted when the client leaves or a time limit is passed; the reason says which. */
  readonly signal: AbortSignal;
  /**
   * From now on the next thing must happen within `ms`; null: only the whole has a limit. A `reason` that gives none has set
   * another limit instead.
   */
  expectWithin(ms: number | null, reason: () => Error | null): void;
  /** The client has all that it wanted and may leave: what is left to be done has so long. */
  linger(ms: number, reason: () => Error): void;
  /** Ends the call itself: the reason is what whoever waits for it gets. */
  abort(reason: unknown): void;
  /** No limit applies any more. Safe to call again. */
  clear(): void;
}

/** What is kept from going idle while a call runs. */
export interface Held {
  keepOpen(): void;
  release(): void;
}

/** Most calls are over by then, and need not be held: saying so twice took 1 µs of each. */
const HOLD_AFTER_MS = 10_000;

/**
 * Time limits of many calls with one timer: a call that sets a timer of its own for each chunk would spend more time on
 * timers than on bytes. The timer runs only while a call does.
 */
export class Deadlines {
  private readonly open = new Set<OpenDeadline>();
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(readonly monotonicMs: () => number) {}

  /** `held` is kept open once the call has run for a while, and let go of when no limit applies any more. */
  start(client: AbortSignal, totalMs: number, reason: () => Error, held: Held | null = null): Deadline {
    const deadline = new OpenDeadline(this, client, this.monotonicMs(), totalMs, reason, held);
    this.open.add(deadline);
    this.timer ??= this.startTimer();
    return deadline;
  }

  /** Looks at every open deadline; called by the timer, and by tests that step the clock. */
  check(): void {
    const now = this.monotonicMs();
    for (const deadline of this.open) deadline.check(now);
  }

  /** No limit applies any more to this one. */
  end(deadline: OpenDeadline): void {
    if (this.open.delete(deadline) && this.open.size === 0) this.stopTimer();
  }

  private startTimer(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => this.check(), TICK_MS);
    timer.unref();
    return timer;
  }

  private stopTimer(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}

/** It listens to the client itself: a function for each call would be made for nothing. */
class OpenDeadline implements Deadline, EventListenerObject {
  private readonly controller = new AbortController();
  private nextAtMs = Number.POSITIVE_INFINITY;
  private nextReason: (() => Error | null) | null = null;
  private isHeld = false;

  constructor(
    private readonly owner: Deadlines,
    private readonly client: AbortSignal,
    private readonly begunAtMs: number,
    private readonly totalMs: number,
    private readonly reason: () => Error,
    private held: Held | null,
  ) {
    if (client.aborted) this.controller.abort(client.reason);
    else client.addEventListener("abort", this, ONCE);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  handleEvent(): void {
    this.abort(this.client.reason);
  }

  expectWithin(ms: number | null, reason: () => Error | null): void {
    this.nextAtMs = ms === null ? Number.POSITIVE_INFINITY : this.owner.monotonicMs() + ms;
    this.nextReason = reason;
  }

  linger(ms: number, reason: () => Error): void {
    this.release();
    this.held = null;
    this.expectWithin(ms, reason);
  }

  check(now: number): void {
    const overdue = this.nextReason && this.nextAtMs <= now ? this.nextReason() : null;
    if (overdue) this.abort(overdue);
    else if (this.begunAtMs + this.totalMs <= now) this.abort(this.reason());
    else if (!this.isHeld && this.held && this.begunAtMs + HOLD_AFTER_MS <= now) {
      this.isHeld = true;
      this.held.keepOpen();
    }
  }

  abort(reason: unknown): void {
    this.clear();
    this.controller.abort(reason);
  }

  clear(): void {
    this.release();
    this.owner.end(this);
  }

  private release(): void {
    this.client.removeEventListener("abort", this);
    if (this.isHeld) this.held?.release();
    this.isHeld = false;
  }
}

const ONCE = { once: true };
