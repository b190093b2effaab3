import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { networkOf } from "../lib/ip-range.ts";

const WINDOW_MS = 60_000;
const UNKNOWN_KEYS_MAX = 60;
const ADDRESSES_MAX = 10_000;

interface Tries {
  readonly startedAtMs: number;
  /** The beginning of each key's hash: a client that repeats one wrong key is mistaken, not guessing. */
  readonly seen: number[];
}

type Guessed = "key" | "token" | "code";

/**
 * Slows down who tries many keys: after so many different unknown ones within a minute an address is told to wait. Keys
 * that are good are never asked about here, so whoever shares the address goes on.
 */
export class KeyThrottle {
  private readonly tries = new BoundedMap<string, Tries>(ADDRESSES_MAX);

  constructor(
    private readonly clock: Clock,
    /** What a guess is told, until there are too many. */
    private readonly unknown = (what: Guessed) => new GatewayError("authentication", `This ${what} is not known here.`),
  ) {}

  /** What to answer to a key that is unknown; the key counts as tried. */
  refusal(hash: string, address: string | null, what: Guessed = "key"): GatewayError {
    const tries = this.triesOf(networkOf(address ?? ""));
    const mark = Number.parseInt(hash.slice(0, 7), 16);
    if (tries.seen.length <= UNKNOWN_KEYS_MAX && !tries.seen.includes(mark)) this.note(networkOf(address ?? ""), mark);
    if (tries.seen.length <= UNKNOWN_KEYS_MAX) {
      return this.unknown(what);
    }
    const seconds = Math.max(1, Math.ceil((tries.startedAtMs + WINDOW_MS - this.clock.monotonicMs()) / 1000));
    return new GatewayError("rate_limit", `Too many unknown ${what}s from your address; wait ${seconds} seconds.`, {
      headers: { "retry-after": String(seconds) },
    });
  }

  /** Counts the beginning of a hash. One past the limit is enough to remember that it was passed. */
  note(network: string, mark: number): void {
    const { seen } = this.triesOf(network);
    if (seen.length <= UNKNOWN_KEYS_MAX && !seen.includes(mark)) seen.push(mark);
  }

  private triesOf(network: string): Tries {
    const now = this.clock.monotonicMs();
    const present = this.tries.get(network);
    if (present && now - present.startedAtMs < WINDOW_MS) return present;
    const tries: Tries = { startedAtMs: now, seen: [] };
    this.tries.set(network, tries);
    return tries;
  }
}
