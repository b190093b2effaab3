import type { KeyStore } from "./store.ts";

const EVERY_MS = 60_000;
/** Written at once: enough to be quick, too few to hold up anybody else. */
const BATCH = 1_000;

/**
 * When keys were last used. The hot path only notes it; it is written later, at most once a minute for each key, and lost
 * without harm if the process ends before.
 */
export class KeyUsage {
  private noted = new Map<string, number>();
  private flushing = false;

  constructor(private readonly store: Pick<KeyStore, "noteUse">) {}

  /** Gives the time up to which the use of the key is on record. */
  note(keyId: string, recordedAt: number, nowMs: number): number {
    if (nowMs - recordedAt < EVERY_MS) return recordedAt;
    this.noted.set(keyId, nowMs);
    return nowMs;
  }

  /** Writes what was noted; what cannot be written is tried again at the next call. Never throws. */
  async flush(): Promise<void> {
    if (this.flushing) return;
    this.flushing = true;
    const rest = [...this.noted];
    this.noted = new Map();
    try {
      while (rest.length > 0) {
        await this.store.noteUse(rest.slice(0, BATCH));
        rest.splice(0, BATCH);
      }
    } catch {
      for (const [keyId, at] of rest) if (!this.noted.has(keyId)) this.noted.set(keyId, at);
    }
    this.flushing = false;
  }
}
