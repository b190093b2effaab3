import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { networkOf } from "../lib/ip-range.ts";

const WINDOW_MS = 60 * 60 * 1000;
const TO_ONE_ADDRESS_MAX = 5;
const FROM_ONE_NETWORK_MAX = 30;
/** More than people invite. What their organization is called stands in the letter: nobody sends advertisements from here. */
const BY_ONE_PERSON_MAX = 100;
const ENTRIES_MAX = 50_000;

interface Count {
  readonly startedAtMs: number;
  letters: number;
}

/**
 * So many letters an hour to one address, and so many that one network may ask for, or one person for others: nobody's mailbox
 * is filled from here.
 */
export class LetterThrottle {
  private readonly counts = new BoundedMap<string, Count>(ENTRIES_MAX);

  constructor(private readonly clock: Clock) {}

  /** Counts a letter that somebody asks for. Whether anybody has the address makes no difference. */
  admit(email: string, network: string | null): void {
    const from = network === null ? null : this.countOf(`from ${networkOf(network)}`);
    this.count(email, from, FROM_ONE_NETWORK_MAX);
  }

  /** Counts a letter to somebody else. Offices share a network, so that it goes by the person. */
  admitInvitation(email: string, inviterId: number): void {
    this.count(email, this.countOf(`by ${inviterId}`), BY_ONE_PERSON_MAX);
  }

  private count(email: string, from: Count | null, fromMax: number): void {
    const to = this.countOf(`to ${email}`);
    const now = this.clock.monotonicMs();
    for (const [count, most] of [
      [to, TO_ONE_ADDRESS_MAX],
      [from, fromMax],
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
