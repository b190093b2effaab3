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
  private next: Limit | null = null;
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
    this.next = ms === null ? null : { atMs: this.monotonicMs() + ms, reason };
  }

  check(now: number): void {
    const passed = [this.next, this.total].find((limit) => limit !== null && limit.atMs <= now);
    if (passed) this.abort(passed.reason());
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
