import type { Timers } from "../lib/timers.ts";

/** After so many failures of the same question the others do not wait for a third. */
const FAILURES_MAX = 2;

/** The call that is made for all who ask the same. It ends once; later words are not heard. */
export interface Lead<T> {
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
export type Outcome<T> = { readonly answer: T } | { readonly lead: Lead<T> } | null;

interface Follower<T> {
  end(outcome: Outcome<T>): void;
}

interface Flight<T> {
  readonly followers: Set<Follower<T>>;
  failures: number;
}

/** Identical questions at the same time: the first is asked, the others wait for its answer. */
export class Flights<T> {
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

  /** The lead for who comes first; a promise for all others. Who leaves while waiting gets null. */
  join(key: string, signal: AbortSignal): Lead<T> | Promise<Outcome<T>> {
    const flight = this.open.get(key);
    if (flight) return this.follow(key, flight, signal);
    const opened: Flight<T> = { followers: new Set(), failures: 0 };
    this.open.set(key, opened);
    return this.newLead(key, opened);
  }

  private follow(key: string, flight: Flight<T>, signal: AbortSignal): Promise<Outcome<T>> {
    const { promise, resolve } = Promise.withResolvers<Outcome<T>>();
    if (signal.aborted) return Promise.resolve(null);
    const goAlone = () => follower.end(null);
    const cancel = this.timers.after(this.waitMaxMs, () => {
      // Whoever comes later begins anew rather than wait as long.
      this.forget(key, flight);
      goAlone();
    });
    signal.addEventListener("abort", goAlone, { once: true });
    const follower: Follower<T> = {
      end: (outcome) => {
        if (!flight.followers.delete(follower)) return;
        this.waiting--;
        cancel();
        signal.removeEventListener("abort", goAlone);
        resolve(outcome);
      },
    };
    flight.followers.add(follower);
    this.waiting++;
    return promise;
  }

  private newLead(key: string, flight: Flight<T>): Lead<T> {
    let ended = false;
    const once = (end: () => void) => () => {
      if (ended) return;
      ended = true;
      end();
    };
    const endAll = (outcome: Outcome<T>) => {
      this.forget(key, flight);
      for (const follower of [...flight.followers]) follower.end(outcome);
    };
    const handOn = () => {
      const [next] = flight.followers;
      if (next) next.end({ lead: this.newLead(key, flight) });
      else this.forget(key, flight);
    };
    return {
      land: (answer) => once(() => endAll({ answer }))(),
      release: once(() => endAll(null)),
      leave: once(handOn),
      fail: once(() => {
        flight.failures++;
        if (flight.failures < FAILURES_MAX) handOn();
        else endAll(null);
      }),
    };
  }

  private forget(key: string, flight: Flight<T>): void {
    if (this.open.get(key) === flight) this.open.delete(key);
  }
}
