import type { OutboxMessage } from "./store.ts";

export interface LaneDeps {
  /** Takes messages that are due, up to so many. */
  readonly claim: (limit: number) => Promise<readonly OutboxMessage[]>;
  readonly deliver: (message: OutboxMessage) => Promise<void>;
}

/** How many messages of one kind are under way at a time. */
const AT_ONCE = 10;

/** Messages of one kind: those that take long hold up no other kind, and only one place each of their own. */
export class Lane {
  private readonly underWay = new Set<Promise<void>>();
  private looking: Promise<number> | null = null;
  private clearing: Promise<number> | null = null;
  /** Of whichever message is the next to be over. */
  private nextEnd: PromiseWithResolvers<void> | null = null;
  private failure: { readonly thrown: unknown } | null = null;

  constructor(private readonly deps: LaneDeps) {}

  /** Goes on until nothing is due and nothing under way; gives how many messages were tried. */
  clear(): Promise<number> {
    this.clearing ??= this.untilClear().finally(() => {
      this.clearing = null;
    });
    return this.clearing;
  }

  /** What has become due meanwhile does not wait for what takes long. */
  async look(): Promise<void> {
    if (this.clearing === null) await this.clear();
    else await this.take();
  }

  /** Resolves when what is under way has ended. */
  async settled(): Promise<void> {
    await this.looking?.catch(() => undefined);
    await Promise.all(this.underWay);
  }

  private async untilClear(): Promise<number> {
    let tried = 0;
    for (;;) {
      const taken = await this.take();
      tried += taken;
      if (this.underWay.size > 0) {
        // Also of those that a look adds meanwhile: their places are others' then.
        this.nextEnd ??= Promise.withResolvers<void>();
        await this.nextEnd.promise;
      } else if (taken === 0) return tried;
      if (this.failure) {
        const { thrown } = this.failure;
        this.failure = null;
        throw thrown;
      }
    }
  }

  private take(): Promise<number> {
    this.looking ??= this.claimRoom().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  private async claimRoom(): Promise<number> {
    const room = AT_ONCE - this.underWay.size;
    if (room === 0) return 0;
    const messages = await this.deps.claim(room);
    for (const message of messages) {
      const work: Promise<void> = this.deps
        .deliver(message)
        .catch((thrown) => {
          this.failure = { thrown };
        })
        .finally(() => {
          this.underWay.delete(work);
          this.nextEnd?.resolve();
          this.nextEnd = null;
        });
      this.underWay.add(work);
    }
    return messages.length;
  }
}
