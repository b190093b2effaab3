import type { Timers } from "../lib/timers.ts";

/** After so many failures of the same question the others do not wait for a third. */
const FAILURES_MAX = 2;

/** The call that is made for all who ask the same. It ends once; later words are not heard. */
export interface Leader<T> {
  /** The answer is there, for everybody. */
  land(answer: T): void;
  /** There is none: the next in line leads, until it has failed too often. */
  fail(): void;
  /** Whoever led has left: the next in line leads. */
  leave(): void;
  /** There is an answer, and it cannot be shared: everybody asks for themselves. */
  release(): void;
}

/** What a follower gets: the answer, the lead, or null, which means that it goes alone. */
export type Outcome<T> = { readonly answer: T } | { readonly lead: Leader<T> } | null;

interface Follower<T> {
  end(outcome: Outcome<T>): void;
}

/** One question that is being asked, and who waits for its answer: mostly nobody. */
class Flight<T> {
  followers: Set<Follower<T>> | null = null;
  failures = 0;

  constructor(
    private readonly open: Map<string, Flight<T>>,
    private readonly key: string,
  ) {}

  forget(): void {
    if (this.open.get(this.key) === this) this.open.delete(this.key);
  }

  endAll(outcome: Outcome<T>): void {
    this.forget();
    if (this.followers) for (const follower of [...this.followers]) follower.end(outcome);
  }

  handOn(): void {
    const [next] = this.followers ?? [];
    if (next) next.end({ lead: new FlightLead(this) });
    else this.forget();
  }
}

class FlightLead<T> implements Leader<T> {
  private ended = false;

  constructor(private readonly flight: Flight<T>) {}

  land(answer: T): void {
    if (this.endsNow()) this.flight.endAll({ answer });
  }

  fail(): void {
    if (!this.endsNow()) return;
    this.flight.failures++;
    if (this.flight.failures < FAILURES_MAX) this.flight.handOn();
    else this.flight.endAll(null);
  }

  leave(): void {
    if (this.endsNow()) this.flight.handOn();
  }

  release(): void {
    if (this.endsNow()) this.flight.endAll(null);
  }

  private endsNow(): boolean {
    const isFirst = !this.ended;
    this.ended = true;
    return isFirst;
  }
}

/** Identical questions at the same time: the first is asked, the others wait for its answer. */
export class Singleflight<T> {
  private readonly open = new Map<string, Flight<T>>();
  /** How many wait for somebody else's answer. */
  waiting = 0;

  constructor(
    private readonly timers: Timers,
    private readonly waitMaxMs: number,
  ) {}

  get size(): number {
    return this.open.size;
  }

  /** The lead for who comes first; a promise for all others. Who leaves while waiting, or waits for longer, gets null. */
  join(key: string, signal: AbortSignal, withinMs = Number.POSITIVE_INFINITY): Leader<T> | Promise<Outcome<T>> {
    const flight = this.open.get(key);
    if (flight) return this.follow(flight, signal, withinMs);
    const opened = new Flight<T>(this.open, key);
    this.open.set(key, opened);
    return new FlightLead(opened);
  }

  /** Whoever comes from now on begins anew; those who wait go on waiting. */
  closeAll(): void {
    this.open.clear();
  }

  private follow(flight: Flight<T>, signal: AbortSignal, withinMs: number): Promise<Outcome<T>> {
    const { promise, resolve } = Promise.withResolvers<Outcome<T>>();
    if (signal.aborted) return Promise.resolve(null);
    flight.followers ??= new Set();
    const { followers } = flight;
    const goAlone = () => follower.end(null);
    const { waitMaxMs } = this;
    const cancel = this.timers.after(Math.min(waitMaxMs, withinMs), () => {
      // Whoever comes later begins anew rather than wait as long.
      if (withinMs >= waitMaxMs) flight.forget();
      goAlone();
    });
    signal.addEventListener("abort", goAlone, { once: true });
    const follower: Follower<T> = {
      end: (outcome) => {
        if (!followers.delete(follower)) return;
        this.waiting--;
        cancel();
        signal.removeEventListener("abort", goAlone);
        resolve(outcome);
      },
    };
    followers.add(follower);
    this.waiting++;
    return promise;
  }
}
