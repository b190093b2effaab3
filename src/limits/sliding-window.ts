/** Limits are for a minute. */
export const WINDOW_MS = 60_000;
/** What is counted is kept by slots of this length, as a whole until all of the slot is a minute old. */
export const SLOT_MS = 1000;
/** A slot that began so many slots ago counts no more. */
export const SLOTS = WINDOW_MS / SLOT_MS + 1;

/**
 * What was taken in the last minute. All of a limit may be taken at once, and never is more than that taken in any sixty
 * seconds: a slot counts until its last moment is a minute old, so a full limit comes back after 60 to 61 seconds. (A leaky
 * bucket cannot promise both, since what drips in while a burst is spent comes on top of it.)
 */
export class SlidingWindow {
  used = 0;
  /** Of the same length, the oldest slot first; there are at most `SLOTS` of them. */
  private readonly slots: number[] = [];
  private readonly amounts: number[] = [];
  /** What of each amount others do not know yet; below zero where they have not heard of something that was given back. */
  private readonly untold: number[] = [];

  /** Milliseconds until so much fits in; 0 when it does now. */
  waitMs(amount: number, limit: number, nowMs: number): number {
    this.expire(nowMs);
    let left = this.used + amount - limit;
    if (left <= 0) return 0;
    for (let i = 0; i < this.slots.length; i++) {
      left -= this.amounts[i] as number;
      if (left <= 0) return endOf(this.slots[i] as number) - nowMs;
    }
    return WINDOW_MS + SLOT_MS;
  }

  /** Milliseconds until nothing counts any more. */
  resetMs(nowMs: number): number {
    const last = this.slots.at(-1);
    return last === undefined ? 0 : Math.max(0, endOf(last) - nowMs);
  }

  add(amount: number, nowMs: number, isTold = false): void {
    this.used += amount;
    const slot = slotOf(nowMs);
    const last = this.slots.length - 1;
    if (last >= 0 && (this.slots[last] as number) >= slot) {
      this.amounts[last] = (this.amounts[last] as number) + amount;
      if (!isTold) this.untold[last] = (this.untold[last] as number) + amount;
      return;
    }
    this.slots.push(slot);
    this.amounts.push(amount);
    this.untold.push(isTold ? 0 : amount);
  }

  /**
   * Gives back of what was taken at a time; what no longer counts is not given back. What others told of later than it was
   * taken may lie in a later slot.
   */
  giveBack(amount: number, takenAtMs: number, nowMs: number, isTold = false): void {
    this.expire(nowMs);
    const slot = slotOf(takenAtMs);
    if (slotOf(nowMs) - slot >= SLOTS) return;
    let left = amount;
    for (let i = 0; i < this.slots.length && left > 0; i++) {
      if ((this.slots[i] as number) < slot) continue;
      const present = this.amounts[i] as number;
      const given = Math.min(present, left);
      this.amounts[i] = present - given;
      if (!isTold) this.untold[i] = (this.untold[i] as number) - given;
      this.used -= given;
      left -= given;
    }
  }

  /** From now on nobody else knows of anything that was taken here. */
  markUntold(): void {
    for (let i = 0; i < this.slots.length; i++) this.untold[i] = this.amounts[i] as number;
  }

  /** Tells what others do not know, each slot by when it began; afterwards they do. */
  tell(nowMs: number, told: (slotStartMs: number, amount: number) => void): void {
    this.expire(nowMs);
    for (let i = 0; i < this.slots.length; i++) {
      const amount = this.untold[i] as number;
      if (amount === 0) continue;
      told((this.slots[i] as number) * SLOT_MS, amount);
      this.untold[i] = 0;
    }
  }

  /** Others have not heard of something after all that was taken, or given back, at about a time. */
  owe(amount: number, atMs: number): void {
    const slot = slotOf(atMs + SLOT_MS / 2);
    const index = this.slots.findLastIndex((one) => one <= slot);
    if (index >= 0) this.untold[index] = (this.untold[index] as number) + amount;
  }

  private expire(nowMs: number): void {
    const now = slotOf(nowMs);
    let gone = 0;
    while (gone < this.slots.length && now - (this.slots[gone] as number) >= SLOTS) {
      this.used -= this.amounts[gone] as number;
      gone++;
    }
    if (gone === 0) return;
    this.slots.splice(0, gone);
    this.amounts.splice(0, gone);
    this.untold.splice(0, gone);
  }
}

const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS);
const endOf = (slot: number): number => (slot + SLOTS) * SLOT_MS;
