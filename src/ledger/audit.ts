/** One thing that must hold in the books, and where it does not. */
export interface Finding {
  readonly name: string;
  readonly meaning: string;
  /** Empty when all is well; each says what differs and by how much. */
  readonly differences: readonly string[];
  /** What could not be looked at, as text for people; null where everything was. */
  readonly unchecked: string | null;
}

/** Recomputes the books from their entries. `storage/` implements it; it may throw `database`. */
export interface LedgerAudit {
  /** Looks at one moment of the books and changes nothing. Calls go on meanwhile. */
  verify(now: number): Promise<readonly Finding[]>;
  /**
   * The same, to be done again and again: costs are computed again of calls that are new and of a part of all others, which
   * have their turn within a day where this is done every hour.
   */
  look(now: number): Promise<readonly Finding[]>;
  /**
   * Makes anew what is only a sum of something else: balances, what budgets have spent, the sums of calls, and the blocks
   * that follow from balances. Entries and calls are never touched. Tells what it did.
   */
  mend(now: number): Promise<readonly Mended[]>;
}

export interface Mended {
  /** As the finding is called. */
  readonly name: string;
  readonly what: string;
  /** Teams that were blocked or unblocked by it. */
  readonly changedTeams: readonly string[];
}

export const isSound = (findings: readonly Finding[]): boolean =>
  findings.every(({ differences }) => differences.length === 0);
