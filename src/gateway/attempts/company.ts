import type { MeteredCall } from "../metering/metered-call.ts";
import type { CallEnding } from "../metering/outcome.ts";

/** Goes along with a call: has something to do when it is in the books, or when it is over. */
export interface Companion {
  /** The call is in the books, and is sent next. */
  begin?(meter: MeteredCall): void;
  /** The call has ended in the books. */
  end(ending: CallEnding): void;
  /** The call is over and was never in the books: it was refused before, or answered from the cache. */
  leave?(): void;
  /** The call failed: what is thrown in place of what was, where it knows better. */
  failureFor?(thrown: unknown): Promise<unknown>;
}

/** All who go along with one call. */
export class Company {
  private readonly companions: Companion[] = [];
  private isBooked = false;

  join(companion: Companion): void {
    this.companions.push(companion);
  }

  begin(meter: MeteredCall): void {
    this.isBooked = true;
    for (const companion of this.companions) companion.begin?.(meter);
  }

  end(ending: CallEnding): void {
    for (const companion of this.companions) companion.end(ending);
  }

  /** Of a call that is in the books its end there is waited for. */
  leave(): void {
    if (!this.isBooked) for (const companion of this.companions) companion.leave?.();
  }

  /** The call has failed for good: all who went along leave it, and what is thrown is what they say. */
  async failureFor(thrown: unknown): Promise<unknown> {
    let told = thrown;
    for (const companion of this.companions) if (companion.failureFor) told = await companion.failureFor(told);
    this.leave();
    return told;
  }
}
