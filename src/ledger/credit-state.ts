import type { CreditSource } from "./books.ts";
import type { LeaseState } from "./leases.ts";

/** Enough for so many calls like the one that asks, so that the next ones find something. */
const CALLS_AHEAD = 8n;
/**
 * A slice of which half is gone sooner than this was too small; one that lasted longer than that, too large. While the
 * database is away calls live on what is leased, so it is to be enough for about as long as a lease holds.
 */
const SOON_MS = 20_000;
const LONG_MS = 60_000;
/** Of what nobody has, no more than one part in so many is leased for later: the rest is for other processes. */
const AHEAD_PART = 8n;
const IDLE_MS = 30_000;
/**
 * Of a budget that nobody else can want, which is seen nowhere but here: a key that calls once a minute asks the database once
 * in a while, and not twice for each call.
 */
const IDLE_ALONE_MS = 600_000;
/**
 * What is left for so few calls cannot be shared: so long after one process lacked what another had, each takes only what its calls
 * need and gives back the rest at once. To call it back takes a tick, and to take it for each call a question to the database.
 */
const CONTESTED_CALLS = 4n;
const CONTESTED_MS = 60_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** What one process knows of a pot: what it has leased, and what of that is spoken for. */
export class PotState {
  /** The pot as the last call named it. Null until one did. */
  pot: CreditSource | null = null;
  /** It was changed otherwise than by calls since it was asked about: what is leased goes back before more is taken. */
  outdated = false;
  /** How many wait for it. */
  waiting = 0;
  /** When it was last asked how the pot stands, and whether then nothing was free and nothing could come back from others. */
  askedAtMs = LONG_AGO;
  sole = false;
  /** What nobody had leased then. */
  free = 0n;
  /** Whether there was ever anything in it, as far as is known. */
  isOpen = true;
  /** Until when the lease is surely ours. */
  freshUntilMs = LONG_AGO;
  usedAtMs = LONG_AGO;
  /** Below this more is asked for in the background. */
  lowWater = 0n;
  private lackedAtMs = LONG_AGO;
  /** What there was in all when it was last asked about, with what processes had leased. */
  private capacity = 0n;
  private taken = 0n;
  private unsettled = 0n;
  private rest = 0n;
  private slice = 0n;
  private sliceMin = 0n;
  private extendedAtMs = LONG_AGO;

  constructor(readonly id: string) {}

  /** What the database says this process has taken. */
  get leased(): bigint {
    return this.taken;
  }

  set leased(amount: bigint) {
    this.rest += amount - this.taken;
    this.taken = amount;
  }

  /** In the journal, but not yet in the database. */
  get spent(): bigint {
    return this.unsettled;
  }

  /** Set aside for calls that are running. */
  get held(): bigint {
    return this.taken - this.rest - this.unsettled;
  }

  /**
   * What a call can be given: what is leased without what is held and spent. Below zero after a call that cost more than was
   * held for it. Kept rather than worked out: each step with bigints makes a new one, and every call looks here twice.
   */
  get idle(): bigint {
    return this.rest;
  }

  hold(amount: bigint): void {
    this.rest -= amount;
  }

  release(amount: bigint): void {
    this.rest += amount;
  }

  spend(cost: bigint): void {
    this.unsettled += cost;
    this.rest -= cost;
  }

  /** What was spent is in the database. */
  settle(cost: bigint): void {
    this.unsettled -= cost;
    this.rest += cost;
  }

  /** What is idle, but nothing once the lease may have been swept or was taken under another limit. */
  usable(nowMs: number): bigint {
    return nowMs < this.freshUntilMs && !this.outdated ? this.idle : 0n;
  }

  /** A call names the pot; whoever set a limit anew sees it hold from the next call on. */
  named(pot: CreditSource): void {
    if (this.pot !== null && this.pot.limit !== pot.limit) this.outdate();
    this.pot = pot;
  }

  /** There may be more in it than is known, or less than is leased. */
  outdate(): void {
    this.outdated = true;
    this.askedAtMs = LONG_AGO;
    this.sole = false;
    this.free = 0n;
    this.lackedAtMs = LONG_AGO;
  }

  /** How the pot stood when it was asked about at that time. */
  learn({ amount, free, others, isOpen }: LeaseState, askedAtMs: number, freshUntilMs: number): void {
    this.leased = amount;
    // Less than nothing is free where a limit was lowered: then what others have may not be enough to come back to something.
    this.sole = free <= 0n && free + others <= 0n;
    this.free = free;
    this.capacity = amount + free + others;
    this.isOpen = isOpen;
    this.askedAtMs = askedAtMs;
    this.freshUntilMs = freshUntilMs;
    if (free <= 0n && others > 0n) this.lacked(askedAtMs);
  }

  /** What is idle of it is leased no more; gives how much that was. */
  leave(): bigint {
    if (this.rest <= 0n) return 0n;
    const amount = this.rest < this.taken ? this.rest : this.taken;
    this.leased -= amount;
    this.sole = false;
    return amount;
  }

  /** A process, this one or another, lacks what others have of it. */
  lacked(nowMs: number): void {
    this.lackedAtMs = nowMs;
  }

  /** Whether several processes share the last of it. */
  isContested(nowMs: number): boolean {
    return nowMs - this.lackedAtMs < CONTESTED_MS && this.capacity * CALLS_AHEAD < this.sliceMin * CONTESTED_CALLS;
  }

  /** Whether something was left for the next time when it was last asked about. */
  get plenty(): boolean {
    return this.free > 0n;
  }

  /** Whether nobody has used it for a while, or does. `isAlone`: no other process can want it. */
  isUnused(nowMs: number, isAlone: boolean): boolean {
    const isBudget = (this.pot?.limit ?? null) !== null;
    if (nowMs - this.usedAtMs < (isAlone && isBudget ? IDLE_ALONE_MS : IDLE_MS)) return false;
    return this.held === 0n && this.spent === 0n && this.waiting === 0;
  }

  /** How much to have beside what is held, by how fast it goes and what the next call needs. */
  nextSlice(amount: bigint, nowMs: number): bigint {
    const lasted = nowMs - this.extendedAtMs;
    this.extendedAtMs = nowMs;
    if (lasted < SOON_MS) this.slice *= 2n;
    else if (lasted > LONG_MS) this.slice /= 2n;
    if (this.slice > this.free / AHEAD_PART) this.slice = this.free / AHEAD_PART;
    // Nobody waits where it is asked for in the background: then those who waited last tell what a call needs.
    if (amount > 0n) this.sliceMin = amount * CALLS_AHEAD;
    if (this.isContested(nowMs)) {
      this.lowWater = 0n;
      return amount;
    }
    if (this.slice < this.sliceMin) this.slice = this.sliceMin;
    this.lowWater = this.slice / 2n;
    return this.slice;
  }
}
