/** What was spent of a subject's budgets in one window. */
export interface WindowSpend {
  readonly pot: string;
  readonly spent: bigint;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** `storage/` implements it; it may throw `database`. */
export interface BudgetSpending {
  /** The windows of a subject that were ever counted, the earliest first. */
  list(subject: string): Promise<readonly WindowSpend[]>;
  /** What subjects spent from one moment to another, in the order in which they are given. */
  spent(
    windows: readonly {
      readonly subject: string;
      /** Only calls of this model. */
      readonly model?: string | null;
      readonly startMs: number;
      readonly endMs: number;
    }[],
  ): Promise<readonly bigint[]>;
}
