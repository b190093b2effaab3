/** How often deadlines are looked at; a limit is kept to within this. */
const TICK_MS = 100;

/** Something that has to happen by a time. */
export interface Deadline {
  /** Aborted when the client leaves or a time limit is passed; the reason says which. */
  readonly signal: AbortSignal;
  /** From now on the next thing must happen within `ms`; null: only the whole has a limit. */
  expectWithin(ms: number | null, reason: () => Error): void;
  /** Ends the call itself: the reason is what whoever waits for it gets. */
  abort(reason: unknown): void;
  /** No limit applies any more. Safe to call again. */
  clear(): void;
}

interface Limit {
  readonly atMs: number;
  readonly reason: () => Error;
}

/**
 * Time limits of many calls with one timer: a call that sets a timer of its own for each chunk would spend more time on
 * timers than on bytes. The timer runs only while a call does.
 */
export class Deadlines {
  private readonly open = new Set<OpenDeadline>();
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(private readonly monotonicMs: () => number) {}

  /** `ended` is called once, when no limit applies any more. */
  start(client: AbortSignal, totalMs: number, reason: () => Error, ended: () => void = () => undefined): Deadline {
    const total = { atMs: this.monotonicMs() + totalMs, reason };
    const deadline = new OpenDeadline(client, this.monotonicMs, total, (done) => {
      if (!this.open.delete(done)) return;
      if (this.open.size === 0) this.stopTimer();
      ended();
    });
    this.open.add(deadline);
    this.timer ??= this.startTimer();
    return deadline;
  }

  /** Looks at every open deadline; called by the timer, and by tests that step the clock. */
  check(): void {
    const now = this.monotonicMs();
    for (const deadline of this.open) deadline.check(now);
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

class OpenDeadline implements Deadline {
  private readonly controller = new AbortController();
  private nextAtMs = Number.POSITIVE_INFINITY;
  private nextReason: (() => Error) | null = null;
  private readonly onClientAbort = (): void => this.abort(this.client.reason);

  constructor(
    private readonly client: AbortSignal,
    private readonly monotonicMs: () => number,
    private readonly total: Limit,
    private readonly done: (self: OpenDeadline) => void,
  ) {
    if (client.aborted) this.controller.abort(client.reason);
    else client.addEventListener("abort", this.onClientAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  expectWithin(ms: number | null, reason: () => Error): void {
    this.nextAtMs = ms === null ? Number.POSITIVE_INFINITY : this.monotonicMs() + ms;
    this.nextReason = reason;
  }

  check(now: number): void {
    if (this.nextReason && this.nextAtMs <= now) this.abort(this.nextReason());
    else if (this.total.atMs <= now) this.abort(this.total.reason());
  }

  abort(reason: unknown): void {
    this.clear();
    this.controller.abort(reason);
  }

  clear(): void {
    this.client.removeEventListener("abort", this.onClientAbort);
    this.done(this);
  }
}
