import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { networkOf } from "../lib/ip-range.ts";

const WINDOW_MS = 60 * 60 * 1000;
const NETWORKS_MAX = 50_000;

interface Count {
  readonly startedAtMs: number;
  people: number;
}

/** So many people an hour may sign up from one network: each may begin with credit, which nobody shall harvest. */
export class SignUpThrottle {
  private readonly counts = new BoundedMap<string, Count>(NETWORKS_MAX);

  constructor(
    private readonly clock: Clock,
    /** 0: as many as like. */
    private readonly perHour: () => number,
  ) {}

  /** Counts somebody, or throws. */
  admit(address: string | null): void {
    const most = this.perHour();
    if (most === 0) return;
    const network = networkOf(address ?? "");
    const now = this.clock.monotonicMs();
    const present = this.counts.get(network);
    const count = present && now - present.startedAtMs < WINDOW_MS ? present : { startedAtMs: now, people: 0 };
    if (count.people >= most) {
      const seconds = Math.max(1, Math.ceil((count.startedAtMs + WINDOW_MS - now) / 1000));
      throw new GatewayError(
        "rate_limit",
        `Too many people have signed up from your network; wait ${seconds} seconds.`,
        {
          headers: { "retry-after": String(seconds) },
        },
      );
    }
    count.people++;
    this.counts.set(network, count);
  }
}
