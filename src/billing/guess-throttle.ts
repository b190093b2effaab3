import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { networkOf } from "../lib/ip-range.ts";

const FREE_TRIES = { user: 5, network: 50 };
const FIRST_DELAY_MS = 2_000;
const DELAY_MAX_MS = 15 * 60 * 1000;
const FORGET_MS = 60 * 60 * 1000;
const ENTRIES_MAX = 20_000;

interface Tries {
  readonly failed: number;
  readonly lastAtMs: number;
}

/** Slows down who guesses codes: after a few wrong ones a person, and a network, has to wait longer for each further try. */
export class GuessThrottle {
  private readonly tries = new BoundedMap<string, Tries>(ENTRIES_MAX);

  constructor(private readonly clock: Clock) {}

  /** Counts a try, and gives what takes it back: many that are sent at once are counted like many that are sent one by one. */
  attempt(userId: number, address: string | null): () => void {
    this.#check(userId, address);
    this.count(userId, address, 1);
    return () => this.count(userId, address, -1);
  }

  #check(userId: number, address: string | null): void {
    const waitMs = Math.max(...keysOf(userId, address).map((key) => this.#waitOf(key)));
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw new GatewayError("rate_limit", `Too many wrong codes. Try again in ${seconds} seconds.`, {
      headers: { "retry-after": String(seconds) },
    });
  }

  /** One try more or less. */
  count(userId: number, address: string | null, more: 1 | -1): void {
    const now = this.clock.monotonicMs();
    for (const { name } of keysOf(userId, address)) {
      const before = this.tries.get(name);
      const known = before && now - before.lastAtMs < FORGET_MS ? before.failed : 0;
      this.tries.set(name, { failed: Math.max(known + more, 0), lastAtMs: now });
    }
  }

  #waitOf({ name, free }: Guesser): number {
    const tries = this.tries.get(name);
    if (!tries || tries.failed < free) return 0;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (tries.failed - free), DELAY_MAX_MS);
    return tries.lastAtMs + delayMs - this.clock.monotonicMs();
  }
}

interface Guesser {
  readonly name: string;
  readonly free: number;
}

/** A network has many people in it, so it may be wrong more often. */
const keysOf = (userId: number, address: string | null): readonly Guesser[] => [
  { name: `user ${userId}`, free: FREE_TRIES.user },
  ...(address === null ? [] : [{ name: `network ${networkOf(address)}`, free: FREE_TRIES.network }]),
];
