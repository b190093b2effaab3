import type { Window } from "../../ledger/budget-window.ts";
import { QUARTER_MS, quarterOf } from "../../usage/rollup.ts";
import type { UsageStore } from "../../usage/store.ts";
import type { BudgetOwner } from "./upstream-budget.ts";

export type CostReader = Pick<UsageStore, "providerCosts">;
type Costs = ReadonlyMap<string, bigint>;

/** Calls that came in so long ago have ended and are settled, but for few. */
const TAIL_MS = 3_600_000;
/** To the end of the next quarter of an hour: clocks of other machines may be ahead. */
const AHEAD_MS = 2 * QUARTER_MS;
/** Those few are found when everything is read again. */
const WHOLE_MS = 3_600_000;
/** The log of a month in one question would take longer than a question may, and hold up all others meanwhile. */
const PIECE_MS = 3_600_000;

/**
 * What the books have of some providers, deployments or tags in one window. What is long past is read once, and after that only what
 * came in lately: a month's calls are too many to be summed up every few seconds.
 */
export class SpendSums {
  private window: Window | null = null;
  private names: ReadonlySet<string> = new Set();
  private past: Costs = new Map();
  private pastEndMs = 0;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private wholeAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly of: BudgetOwner,
    private readonly costs: CostReader,
    /** How old what was read may be. */
    private readonly freshMs: number,
  ) {}

  /** Whether it is time to ask the books; times are monotonic. */
  isDue(names: readonly string[], window: Window, sinceMs: number): boolean {
    return !this.covers(names, window) || sinceMs - this.readAtMs >= Math.min(this.freshMs, WHOLE_MS);
  }

  async read(names: readonly string[], window: Window, nowMs: number, sinceMs: number): Promise<Costs> {
    const isSameWindow = this.window?.startMs === window.startMs;
    // A clock that was set back leaves what is past where it is: read once more, it would count twice.
    const endMs = Math.max(window.startMs, quarterOf(nowMs - TAIL_MS), isSameWindow ? this.pastEndMs : 0);
    const whole = !this.covers(names, window) || sinceMs - this.wholeAtMs >= WHOLE_MS;
    if (whole) {
      const past = await this.sum(names, window.startMs, endMs);
      // Whoever takes calls out of the log may not have heard of a budget that is new; what was spent stays spent.
      const known = isSameWindow ? this.past : new Map<string, bigint>();
      this.past = merge(known, past, (before, now) => (before > now ? before : now));
      this.wholeAtMs = sinceMs;
    } else {
      const passed = await this.sum(names, this.pastEndMs, endMs);
      this.past = merge(this.past, passed, (before, now) => before + now);
    }
    this.window = window;
    this.names = new Set(names);
    this.pastEndMs = endMs;
    const lately = await this.sum(names, endMs, Math.min(window.endMs, quarterOf(nowMs) + AHEAD_MS));
    this.readAtMs = sinceMs;
    return merge(this.past, lately, (before, now) => before + now);
  }

  /** The books have got a call that came in at that time. One of the past was not there when that was read. */
  settledLate(atMs: number): void {
    if (this.window && atMs >= this.window.startMs && atMs < this.pastEndMs) this.wholeAtMs = Number.NEGATIVE_INFINITY;
  }

  private covers(names: readonly string[], { startMs }: Window): boolean {
    return this.window?.startMs === startMs && names.every((name) => this.names.has(name));
  }

  private async sum(names: readonly string[], start: number, end: number): Promise<Costs> {
    if (this.of === "provider") {
      return start < end ? this.costs.providerCosts(this.of, names, { start, end }) : new Map();
    }
    let sum: Costs = new Map();
    for (let from = start; from < end; from += PIECE_MS) {
      const piece = { start: from, end: Math.min(from + PIECE_MS, end) };
      sum = merge(sum, await this.costs.providerCosts(this.of, names, piece), (before, now) => before + now);
    }
    return sum;
  }
}

function merge(some: Costs, others: Costs, join: (some: bigint, other: bigint) => bigint): Costs {
  const merged = new Map(some);
  for (const [name, cost] of others) merged.set(name, join(merged.get(name) ?? 0n, cost));
  return merged;
}
