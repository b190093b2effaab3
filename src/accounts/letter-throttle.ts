import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { networkOf } from "../lib/ip-range.ts";

const WINDOW_MS = 60 * 60 * 1000;
const TO_ONE_ADDRESS_MAX = 5;
const FROM_ONE_NETWORK_MAX = 30;
const ENTRIES_MAX = 50_000;

interface Count {
  readonly startedAtMs: number;
  letters: number;
}

/** So many letters an hour to one address, and so many that one network may ask for: nobody's mailbox is filled from here. */
export class LetterThrottle {
  private readonly counts = new BoundedMap<string, Count>(ENTRIES_MAX);

  constructor(private readonly clock: Clock) {}

  /** Counts a letter, or throws. Whether anybody has the address makes no difference. */
  admit(email: string, network: string | null): void {
    const to = this.countOf(`to ${email}`);
    const from = network === null ? null : this.countOf(`from ${networkOf(network)}`);
    const now = this.clock.monotonicMs();
    for (const [count, most] of [
      [to, TO_ONE_ADDRESS_MAX],
      [from, FROM_ONE_NETWORK_MAX],
    ] as const) {
      if (count === null || count.letters < most) continue;
      const seconds = Math.max(1, Math.ceil((count.startedAtMs + WINDOW_MS - now) / 1000));
      throw new GatewayError("rate_limit", `Too many letters were asked for; wait ${seconds} seconds.`, {
        headers: { "retry-after": String(seconds) },
      });
    }
    to.letters++;
    if (from) from.letters++;
  }

  private countOf(key: string): Count {
    const now = this.clock.monotonicMs();
    const present = this.counts.get(key);
    if (present && now - present.startedAtMs < WINDOW_MS) return present;
    const count: Count = { startedAtMs: now, letters: 0 };
    this.counts.set(key, count);
    return count;
  }
}
