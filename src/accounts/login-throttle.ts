import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { networkOf } from "../lib/ip-range.ts";
import { KeyedSerialQueue } from "../lib/keyed-serial-queue.ts";
import { SiteThrottle } from "./site-throttle.ts";

const FREE_TRIES = 5;
const FIRST_DELAY_MS = 1_000;
const DELAY_MAX_MS = 15 * 60 * 1000;
const FORGET_MS = 60 * 60 * 1000;
const ENTRIES_MAX = 100_000;

interface Tries {
  readonly failed: number;
  readonly lastAtMs: number;
}

/**
 * Slows down guessing: after a few wrong passwords for one account from one network, each further try has to wait longer, up
 * to a quarter of an hour; and after many for whatever accounts from one place, but for those who were let in from there
 * before. Never a lock that somebody else could turn against an account's owner for good.
 */
export class LoginThrottle {
  private readonly tries = new Map<string, Tries>();
  /** Who was let in, by account and network: somebody else at the same address does not keep them out. */
  private readonly known = new BoundedMap<string, true>(ENTRIES_MAX);
  private readonly turns = new KeyedSerialQueue();
  private readonly sites: SiteThrottle;

  constructor(
    private readonly clock: Clock,
    /** What is guessed, for the message. */
    private readonly guessed = "passwords",
  ) {
    this.sites = new SiteThrottle(clock);
  }

  /**
   * One try, after all those for the same account from the same network that came before: many that are sent at once are
   * counted like many that are sent one by one. Throws when it is too early for it.
   */
  attempt<T>(email: string, address: string | null, work: () => Promise<T>): Promise<T> {
    return this.turns.run(keyOf(email, address), () => {
      this.check(email, address);
      return address === null ? work() : this.sites.during(address, work);
    });
  }

  /** Throws when it is too early for another try. */
  check(email: string, address: string | null): void {
    const key = keyOf(email, address);
    const ofSiteMs = address === null || this.known.get(key) ? 0 : this.sites.waitMs(address);
    const waitMs = Math.max(this.waitMs(key), ofSiteMs);
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw new GatewayError("rate_limit", `Too many wrong ${this.guessed}. Try again in ${seconds} seconds.`, {
      headers: { "retry-after": String(seconds) },
    });
  }

  private waitMs(key: string): number {
    const tries = this.tries.get(key);
    if (!tries || tries.failed < FREE_TRIES) return 0;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (tries.failed - FREE_TRIES), DELAY_MAX_MS);
    return tries.lastAtMs + delayMs - this.clock.monotonicMs();
  }

  failed(email: string, address: string | null): void {
    if (address !== null) this.sites.failed(address);
    const key = keyOf(email, address);
    const now = this.clock.monotonicMs();
    const before = this.tries.get(key);
    const failed = before && now - before.lastAtMs < FORGET_MS ? before.failed + 1 : 1;
    this.tries.delete(key);
    if (this.tries.size >= ENTRIES_MAX) this.tries.delete(this.tries.keys().next().value ?? "");
    this.tries.set(key, { failed, lastAtMs: now });
  }

  succeeded(email: string, address: string | null): void {
    const key = keyOf(email, address);
    this.tries.delete(key);
    this.known.set(key, true);
  }
}

/** Whoever has an IPv6 network has 2^64 addresses, so the network counts. */
const keyOf = (email: string, address: string | null): string =>
  `${email} ${address === null ? "" : networkOf(address)}`;
