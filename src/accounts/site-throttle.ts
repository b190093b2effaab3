import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import { siteOf } from "../lib/ip-range.ts";

const WINDOW_MS = 60 * 60 * 1000;
const FREE_TRIES = 100;
const FIRST_DELAY_MS = 1_000;
/** Many people may share an address. */
const DELAY_MAX_MS = 60_000;
const SITES_MAX = 50_000;

interface Tries {
  readonly startedAtMs: number;
  readonly failed: number;
  readonly lastAtMs: number;
}

/** Slows down who tries one password on many accounts: so many wrong ones an hour from one place, whatever they were for. */
export class SiteThrottle {
  private readonly tries = new BoundedMap<string, Tries>(SITES_MAX);
  private readonly underWay = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** How long the next try has to wait. A right one shortens nothing: whoever guesses may have an account, too. */
  waitMs(address: string): number {
    const site = siteOf(address);
    const { failed, lastAtMs } = this.present(site) ?? { failed: 0, lastAtMs: 0 };
    const underWay = this.underWay.get(site) ?? 0;
    // Those that are under way may fail: many that are sent at once count like many that are sent one by one.
    if (failed + underWay < FREE_TRIES) return 0;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failed - FREE_TRIES), DELAY_MAX_MS);
    const leftMs = failed < FREE_TRIES ? 0 : lastAtMs + delayMs - this.clock.monotonicMs();
    return underWay > 0 ? Math.max(leftMs, FIRST_DELAY_MS) : leftMs;
  }

  async during<T>(address: string, work: () => Promise<T>): Promise<T> {
    const site = siteOf(address);
    this.underWay.set(site, (this.underWay.get(site) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.underWay.get(site) ?? 1) - 1;
      if (left > 0) this.underWay.set(site, left);
      else this.underWay.delete(site);
    }
  }

  failed(address: string): void {
    const site = siteOf(address);
    const now = this.clock.monotonicMs();
    const { startedAtMs, failed } = this.present(site) ?? { startedAtMs: now, failed: 0 };
    this.tries.set(site, { startedAtMs, failed: failed + 1, lastAtMs: now });
  }

  private present(site: string): Tries | null {
    const tries = this.tries.get(site);
    return tries && this.clock.monotonicMs() - tries.startedAtMs < WINDOW_MS ? tries : null;
  }
}
