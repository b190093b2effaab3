import { isDatabaseAway } from "../contract/database-away.ts";
import type { Clock } from "../lib/clock.ts";
import { LeaseGrace } from "../lib/leased-task-runner.ts";
import type { Logger } from "../lib/log.ts";
import type {
  IdempotencyClaim,
  IdempotencyStore,
  KeptCall,
  KeptKey,
  NewCall,
  StoredResponse,
} from "./idempotency-store.ts";

/** Of answers that wait for the database; calls with a key need it to begin, so no more are added while it is away. */
const OWED_CHARS_MAX = 64 * 1024 * 1024;

interface Owed {
  readonly claim: IdempotencyClaim;
  readonly answer: StoredResponse;
}

/**
 * Kept answers as one process sees them. What it could not keep while the database was away it keeps when that is back, and
 * before anybody is told that the call may be made again. After an outage, or when the clock was set, whoever makes a call has
 * the time to say that it still runs before another takes it.
 */
export class RetryingStore implements IdempotencyStore {
  private readonly grace: LeaseGrace;
  private readonly owed = new Map<string, Owed>();
  private owedChars = 0;

  constructor(
    private readonly stored: IdempotencyStore,
    clock: Clock,
    private readonly log: Logger,
  ) {
    this.grace = new LeaseGrace(clock);
  }

  async begin(call: NewCall, nowMs: number): Promise<KeptCall | null> {
    const owed = this.owed.get(nameOf(call));
    if (owed) await this.pay(owed);
    return this.ask(() => this.stored.begin(call, nowMs, this.grace.isOn()));
  }

  renew(claim: IdempotencyClaim, expiresAt: number): Promise<void> {
    return this.ask(() => this.stored.renew(claim, expiresAt));
  }

  async finish(claim: IdempotencyClaim, answer: StoredResponse): Promise<void> {
    try {
      await this.ask(() => this.stored.finish(claim, answer));
    } catch (thrown) {
      if (!isDatabaseAway(thrown) || this.owedChars + charsOf(answer) > OWED_CHARS_MAX) throw thrown;
      this.owed.set(nameOf(claim), { claim, answer });
      this.owedChars += charsOf(answer);
    }
  }

  forget(claim: IdempotencyClaim): Promise<void> {
    return this.ask(() => this.stored.forget(claim));
  }

  async removeExpired(nowMs: number): Promise<void> {
    // What seems to be over may not be.
    if (!this.grace.isOn()) await this.ask(() => this.stored.removeExpired(nowMs));
  }

  databaseWasAway(): void {
    this.grace.failed();
  }

  /** Keeps what could not be kept before; called now and then, and before the end. */
  async flush(): Promise<void> {
    for (const owed of [...this.owed.values()]) await this.pay(owed);
  }

  private async pay(owed: Owed): Promise<void> {
    try {
      await this.ask(() => this.stored.finish(owed.claim, owed.answer));
    } catch (err) {
      if (isDatabaseAway(err)) throw err;
      this.log.warn({ err }, "an answer could not be kept for its Idempotency-Key");
    }
    const name = nameOf(owed.claim);
    if (this.owed.get(name) !== owed) return;
    this.owed.delete(name);
    this.owedChars -= charsOf(owed.answer);
  }

  private async ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (isDatabaseAway(thrown)) this.grace.failed();
      throw thrown;
    }
  }
}

const nameOf = ({ scope, keyHash }: KeptKey): string => `${scope} ${keyHash}`;
const charsOf = ({ body, headers }: StoredResponse): number => (body?.length ?? 0) + (headers?.length ?? 0);
