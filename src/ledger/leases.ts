import type { CreditSource } from "./books.ts";

/** What a process has taken out of a pot for the calls that it admits. */
export interface Lease {
  readonly pot: string;
  /** The process. */
  readonly owner: string;
  readonly amount: bigint;
  /** Since when another process wants what is idle of it. */
  readonly wantedAt: number | null;
  readonly expiresAt: number;
}

export interface LeaseRequest {
  readonly pot: CreditSource;
  /** How much would be good to have more. */
  readonly wish: bigint;
  /** How much the next call needs: taken even if others want their share. */
  readonly least: bigint;
}

/** How a pot stands after an extension. */
export interface LeaseState {
  readonly pot: string;
  /** Of this owner's lease, with what was granted now. */
  readonly amount: bigint;
  /** What nobody has leased. Zero or less: nothing. */
  readonly free: bigint;
  /** What other owners have leased. */
  readonly others: bigint;
  /** Whether there was ever anything in it: a wallet begins with its first entry. */
  readonly isOpen: boolean;
}

/** Leases in the database. `storage/` implements it; everything may throw `database`. */
export interface LeaseStore {
  /**
   * Takes more of each pot, no more than there is: what the sum of leases leaves of the balance, or of the budget. Where that
   * is less than the least, the other owners' leases are marked as wanted.
   */
  extend(owner: string, wants: readonly LeaseRequest[], times: LeaseTimes): Promise<readonly LeaseState[]>;
  /** Gives amounts back and takes the mark off; gives what is left of each lease. */
  giveBack(owner: string, amounts: ReadonlyMap<string, bigint>): Promise<ReadonlyMap<string, bigint>>;
  /** Which of the owner's leases others want. */
  wanted(owner: string): Promise<readonly string[]>;
  /** Prolongs all leases of the owner that something is left of, and gives how many they are. */
  renew(owner: string, expiresAt: number): Promise<number>;
  /** What the owner has leased, by pot. */
  leasesOf(owner: string): Promise<ReadonlyMap<string, bigint>>;
  /** Ends all leases of an owner, whose calls are all settled. */
  drop(owner: string): Promise<void>;
  /** Ends the leases that ended before, and those that end after what any could: the clock was set back since. Gives how many. */
  sweep(endedBefore: number, endsAfter: number): Promise<number>;
}

export interface LeaseTimes {
  readonly now: number;
  readonly expiresAt: number;
}

/**
 * How much of the room a want gets: what it wishes for, but only half of the room where others lease too, so that one process
 * does not take everything; the least that a call needs it gets in any case.
 */
export function grantOf({ wish, least }: Pick<LeaseRequest, "wish" | "least">, room: bigint, others: bigint): bigint {
  if (room <= 0n) return 0n;
  const share = others > 0n ? room / 2n : room;
  const most = least > share ? least : share;
  const wanted = wish > least ? wish : least;
  const granted = wanted < most ? wanted : most;
  return granted < room ? granted : room;
}
