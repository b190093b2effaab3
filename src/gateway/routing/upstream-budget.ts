import type { UpstreamBudgetTerms } from "../../config/router-config.ts";
import { type Window, windowAt } from "../../ledger/budget-window.ts";

export type BudgetOwner = "provider" | "deployment" | "tag";

/** Before the first moment that anybody asks about. */
const NEVER: Window = { startMs: 0, endMs: 0 };

/** What a provider, a deployment or the calls with a tag have spent in the present window, as far as this process knows. */
export class UpstreamBudget {
  private window = NEVER;
  private spent = 0n;
  /** Whether what the books have is known. */
  isRead = false;

  constructor(
    readonly of: BudgetOwner,
    /** The provider's id, or the deployment's, or the tag. */
    readonly name: string,
    /** Another limit or another spelling of the period holds at once; another window is another budget. */
    public terms: UpstreamBudgetTerms,
  ) {}

  /**
   * How long until the next window, where nothing is left in the one of that moment; 0 where something is. The moment may lie
   * ahead, so no window is begun here: this one still holds for others.
   */
  spentForMs(atMs: number): number {
    const { limit, window } = this.terms;
    if (this.spent < limit) return 0;
    if (atMs < this.window.endMs) return this.window.endMs - atMs;
    return limit > 0n ? 0 : windowAt(window, "UTC", atMs).endMs - atMs;
  }

  /** A call that came in at that time has ended. One of an earlier window does not count in this one. */
  add(cost: bigint, atMs: number): void {
    if (atMs >= this.windowAt(atMs).startMs) this.spent += cost;
  }

  /** What the books have of the present window. It may be an earlier one than was known: clocks are set back, too. */
  set(spent: bigint, window: Window): void {
    this.window = window;
    this.spent = spent;
    this.isRead = true;
  }

  windowAt(nowMs: number): Window {
    if (nowMs >= this.window.endMs) {
      this.window = windowAt(this.terms.window, "UTC", nowMs);
      this.spent = 0n;
    }
    return this.window;
  }

  spentAt(nowMs: number): bigint {
    this.windowAt(nowMs);
    return this.spent;
  }
}

/** How long until all of them have something left; 0 where they have. */
export function spentForMs(budgets: readonly UpstreamBudget[], nowMs: number): number {
  let longest = 0;
  for (const budget of budgets) longest = Math.max(longest, budget.spentForMs(nowMs));
  return longest;
}
