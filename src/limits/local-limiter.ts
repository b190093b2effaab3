import {
  amountOf,
  type Decision,
  type Limiter,
  type Meter,
  type MeterState,
  PARALLEL_RETRY_MS,
  type Permit,
  type Refusal,
  UNLIMITED,
} from "./meter.ts";
import { type SlidingWindow, WINDOW_MS } from "./sliding-window.ts";
import { Windows } from "./windows.ts";

type WindowList = readonly (SlidingWindow | null)[];

/** Limits as one process counts them. Everything is decided at once, without a promise. */
export class LocalLimiter implements Limiter {
  readonly windows: Windows;
  private readonly running = new Map<string, number>();

  /** `share` tells how much of a limit is this process's own. */
  constructor(
    private readonly nowMs: () => number,
    private readonly share: (limit: number) => number = whole,
    windows = new Windows(),
  ) {
    this.windows = windows;
  }

  take(meters: readonly Meter[], tokens: number): Decision {
    if (meters.length === 0) return UNLIMITED;
    const now = this.nowMs();
    const windows = this.windowsOf(meters, now);
    return this.refuse(meters, windows, tokens, now) ?? this.admit(meters, windows, tokens, now, false);
  }

  roomInMs(meters: readonly Meter[], tokens: number): number {
    const now = this.nowMs();
    const windows = this.windowsOf(meters, now);
    let longest = 0;
    for (let at = 0; at < meters.length; at++) {
      longest = Math.max(longest, this.waitMs(meters[at] as Meter, windows[at] ?? null, tokens, now));
    }
    return longest;
  }

  /** Null where there is room in every limit. */
  refusal(meters: readonly Meter[], tokens: number, now: number): Refusal | null {
    return this.refuse(meters, this.windowsOf(meters, now), tokens, now);
  }

  /** Lets a call in that was decided about elsewhere, where what it takes is known already. */
  note(meters: readonly Meter[], tokens: number, states: readonly MeterState[]): LocalPermit {
    const now = this.nowMs();
    const permit = this.admit(meters, this.windowsOf(meters, now), tokens, now, true);
    permit.states = states;
    return permit;
  }

  /** Calls that run here under a limit of calls at one time. */
  runningOf(id: string): number {
    return this.running.get(id) ?? 0;
  }

  /** Limits under which calls run here now. */
  runningIds(): IterableIterator<[string, number]> {
    return this.running.entries();
  }

  /** `isTold`: others are told of it. */
  end(permit: LocalPermit, tokensUsed: number | null, isTold: boolean): void {
    const { meters, tokens, takenAtMs } = permit;
    const now = this.nowMs();
    for (const meter of meters) {
      if (meter.counted === "parallel") this.leave(meter.id);
      else if (meter.counted === "tokens" && tokensUsed !== null) {
        const more = tokensUsed - amountOf(meter, tokens);
        if (more > 0) this.windows.get(meter.id, now).add(more, now, isTold);
        else if (more < 0) this.windows.get(meter.id, now).giveBack(-more, takenAtMs, now, isTold);
      }
    }
  }

  /** Looked up once for all that is asked of them; null for calls at one time, which have none. */
  private windowsOf(meters: readonly Meter[], now: number): WindowList {
    const windows: (SlidingWindow | null)[] = [];
    for (const { counted, id } of meters) windows.push(counted === "parallel" ? null : this.windows.get(id, now));
    return windows;
  }

  private refuse(meters: readonly Meter[], windows: WindowList, tokens: number, now: number): Refusal | null {
    let held: Meter | null = null;
    let retryMs = 0;
    for (let at = 0; at < meters.length; at++) {
      const meter = meters[at] as Meter;
      const waitMs = this.waitMs(meter, windows[at] ?? null, tokens, now);
      if (waitMs <= retryMs) continue;
      held = meter;
      retryMs = waitMs;
    }
    return held && { admitted: false, states: this.states(meters, windows, now), meter: held, retryMs };
  }

  private admit(
    meters: readonly Meter[],
    windows: WindowList,
    tokens: number,
    now: number,
    isTold: boolean,
  ): LocalPermit {
    for (let at = 0; at < meters.length; at++) {
      const meter = meters[at] as Meter;
      const window = windows[at];
      if (window) window.add(amountOf(meter, tokens), now, isTold);
      else this.running.set(meter.id, this.runningOf(meter.id) + 1);
    }
    return new LocalPermit(this, meters, tokens, now, isTold ? NONE : this.states(meters, windows, now));
  }

  private waitMs(meter: Meter, window: SlidingWindow | null, tokens: number, now: number): number {
    if (meter.limit === 0) return NOTHING_PASSES_MS;
    const limit = this.share(meter.limit);
    if (!window) return this.runningOf(meter.id) < limit ? 0 : PARALLEL_RETRY_MS;
    // A call that is larger than the share goes alone, like one that is larger than the limit.
    return window.waitMs(Math.min(limit, amountOf(meter, tokens)), limit, now);
  }

  private states(meters: readonly Meter[], windows: WindowList, now: number): MeterState[] {
    const states: MeterState[] = [];
    for (let at = 0; at < meters.length; at++) {
      const meter = meters[at] as Meter;
      const window = windows[at];
      const used = window ? window.used : this.runningOf(meter.id);
      const remaining = meter.limit === 0 ? 0 : Math.max(0, this.share(meter.limit) - used);
      states.push({ meter, remaining, resetMs: window ? window.resetMs(now) : 0 });
    }
    return states;
  }

  private leave(id: string): void {
    const left = this.runningOf(id) - 1;
    if (left > 0) this.running.set(id, left);
    else this.running.delete(id);
  }
}

export class LocalPermit implements Permit {
  readonly admitted = true;
  private ended = false;

  constructor(
    private readonly limiter: LocalLimiter,
    readonly meters: readonly Meter[],
    readonly tokens: number,
    readonly takenAtMs: number,
    public states: readonly MeterState[],
  ) {}

  end(tokensUsed: number | null): null {
    this.endOnce(tokensUsed, false);
    return null;
  }

  /** False where it had ended before. */
  endOnce(tokensUsed: number | null, isTold: boolean): boolean {
    if (this.ended) return false;
    this.ended = true;
    this.limiter.end(this, tokensUsed, isTold);
    return true;
  }
}

const NONE: readonly MeterState[] = [];
/** Any time above 0: a limit of 0 rejects every call. */
const NOTHING_PASSES_MS = WINDOW_MS;
const whole = (limit: number): number => limit;
