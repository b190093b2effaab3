/** One thing that must hold in the books, and where it does not. */
export interface Finding {
  readonly name: string;
  readonly meaning: string;
  /** Empty when all is well; each says what differs and by how much. */
  readonly differences: readonly string[];
}

/** Recomputes the books from their entries. `storage/` implements it; it may throw `database`. */
export interface LedgerAudit {
  verify(now: number): Promise<readonly Finding[]>;
}

export const isSound = (findings: readonly Finding[]): boolean =>
  findings.every(({ differences }) => differences.length === 0);
