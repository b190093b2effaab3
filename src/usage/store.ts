/** What an organization that stores prompts keeps of a call, as JSON text. */
export interface CallContents {
  readonly id: string;
  readonly request: string | null;
  readonly response: string | null;
}

/** A price list that calls were charged by, as canonical JSON, so that each charge can be computed again. */
export interface PriceVersion {
  readonly id: string;
  readonly prices: string;
  readonly firstSeenAt: number;
}
