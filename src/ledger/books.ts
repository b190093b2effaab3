import type { CallUnits, UsageRecord } from "../contract/usage.ts";

/** Something that can run out: the wallet of an organization, or what a budget allows in its present window. */
export interface CreditSource {
  /** `wallet:<organization>`, or `budget:<scope>:<id>:<window start>`. */
  readonly id: string;
  readonly organizationId: string;
  /** Null for the wallet, whose limit is its balance; else what the budget allows in this window, in nano-USD. */
  readonly limit: bigint | null;
  /** When the window of a budget ends. */
  readonly endMs?: number;
}

export interface HoldRequest {
  readonly callId: string;
  /** All that the call draws on, in a fixed order. None: nothing is held. */
  readonly creditSources: readonly CreditSource[];
  /** An upper bound of the cost, in nano-USD. */
  readonly amount: bigint;
  /** Returns a lower amount that also suffices. Called once, if `amount` is not available. */
  readonly refine?: () => Promise<bigint>;
  readonly signal: AbortSignal;
  /** What is set aside for the call already, of the same pots: it becomes as much as this, and is never let go of meanwhile. */
  readonly former?: Hold;
}

/** An amount that is held for a call until its cost is known. Ends once; a second end changes nothing. */
export interface Hold {
  /** Less than was asked for, if that is all that is left. */
  readonly amount: bigint;
  /** Not any more once it has ended. */
  readonly isOpen: boolean;
  /** The cost is known and in the journal; it is taken from the pots, and from the database's with the next batch. */
  settle(cost: bigint): void;
  /** Nothing was used. */
  release(): void;
}

/** Of a call that costs nothing: one for all of them. */
export const NOTHING_HELD: Hold = { amount: 0n, isOpen: true, settle: () => undefined, release: () => undefined };

/**
 * Admission. Answers at once while the leases cover the estimate; else waits for the database and, where other calls hold
 * what is left, for them. Throws `insufficient_quota`, `budget_exceeded`, or `unavailable` if it cannot be known.
 */
export interface CreditReservations {
  hold(request: HoldRequest): Hold | Promise<Hold>;
}

/** What is known of a call when it is sent: enough to charge it if this process ends before it does. */
export interface OpenCall {
  /** All fields that the usage record will have and that are known already. */
  readonly record: UsageRecord;
  readonly creditSources: readonly string[];
  /** What the prompt alone costs. */
  readonly inputCost: bigint;
}

/**
 * The record of calls on the local disk. Each promise settles when the operating system has the bytes, which survive the
 * end of the process; they are forced to the disk a moment later. A full disk rejects `open` with `unavailable`.
 */
export interface UsageJournal {
  open(call: OpenCall): Promise<void>;
  /** What a running call would be charged if it ended now; written with the next batch, waited for by nobody. */
  progress(callId: string, units: Partial<CallUnits>, cost: bigint): void;
  /** `pots` are those that were held. A full disk does not fail: the record is kept and written when there is room. */
  end(record: UsageRecord, creditSources: readonly string[]): Promise<void>;
}
