import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import type { UsageStore } from "./store.ts";

const KEYS_MAX = 50_000;
/** What other processes have spent shows after this long. */
const FRESH_MS = 10 * 60_000;

interface Known {
  /** Null until the database has told. */
  spend: bigint | null;
  /** What ended while it was asked. */
  meanwhile: bigint;
  askedAtMs: number;
}

/** What keys have spent, at hand for headers: asked of the database once in a while, and counted on in between. */
export class KeySpends {
  private readonly known = new BoundedMap<string, Known>(KEYS_MAX);

  constructor(
    private readonly usage: Pick<UsageStore, "spendOf">,
    private readonly clock: Clock,
  ) {}

  /** A call of the key is on its way: until it is answered the database has time to tell. */
  prepare(keyId: string): void {
    const now = this.clock.monotonicMs();
    const known = this.known.get(keyId);
    if (known && now - known.askedAtMs < FRESH_MS) return;
    const entry = known ?? { spend: null, meanwhile: 0n, askedAtMs: now };
    entry.askedAtMs = now;
    entry.meanwhile = 0n;
    this.known.set(keyId, entry);
    this.usage.spendOf({ keyId }).then(
      ({ cost }) => {
        const told = cost + entry.meanwhile;
        // What has ended and is not settled yet is not in the database: it never goes down.
        if (entry.spend === null || told > entry.spend) entry.spend = told;
      },
      // The next call asks again.
      () => {
        entry.askedAtMs = Number.NEGATIVE_INFINITY;
      },
    );
  }

  add(keyId: string, cost: bigint): void {
    const known = this.known.get(keyId);
    if (!known) return;
    known.meanwhile += cost;
    if (known.spend !== null) known.spend += cost;
  }

  /** Null while it is not known. */
  of(keyId: string): bigint | null {
    return this.known.get(keyId)?.spend ?? null;
  }
}
