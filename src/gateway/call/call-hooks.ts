import type { CallAccounting } from "../metering/call-accounting.ts";
import type { CallEnding } from "../metering/outcome.ts";

/** Goes along with a call: has something to do when it is in the books, or when it is over. */
export interface CallHook {
  /** The call is in the books, and is sent next. */
  begin?(accounting: CallAccounting): void;
  /** The call has ended in the books. The end of its answer waits for what this gives. */
  end(ending: CallEnding): Promise<unknown> | null;
  /** The call is over and was never in the books: it was refused before, or answered from the cache. */
  leave?(): Promise<unknown> | null;
  /** The call failed: what is thrown in place of what was, where it knows better. */
  failureFor?(thrown: unknown): Promise<unknown>;
}

/** All who go along with one call. */
export class CallHooks {
  private readonly companions: CallHook[] = [];
  private isBooked = false;

  join(companion: CallHook): void {
    this.companions.push(companion);
  }

  begin(accounting: CallAccounting): void {
    this.isBooked = true;
    for (const companion of this.companions) companion.begin?.(accounting);
  }

  end(ending: CallEnding): Promise<unknown> | null {
    let ended: Promise<unknown> | null = null;
    for (const companion of this.companions) ended = both(ended, companion.end(ending));
    return ended;
  }

  /** Of a call that is in the books its end there is waited for. */
  leave(): Promise<unknown> | null {
    if (this.isBooked) return null;
    let left: Promise<unknown> | null = null;
    for (const companion of this.companions) left = both(left, companion.leave?.() ?? null);
    return left;
  }

  /** The call has failed for good: all who went along leave it, and what is thrown is what they say. */
  async failureFor(thrown: unknown): Promise<unknown> {
    let told = thrown;
    for (const companion of this.companions) if (companion.failureFor) told = await companion.failureFor(told);
    const left = this.leave();
    if (left) await left;
    return told;
  }
}

/** Nearly always there is nothing to wait for. */
export const both = (one: Promise<unknown> | null, other: Promise<unknown> | null): Promise<unknown> | null =>
  one === null ? other : other === null ? one : Promise.all([one, other]);
