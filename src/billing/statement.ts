/** One entry of the books that is not usage. */
export interface StatementLine {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly amount: bigint;
  readonly reason: string;
}

/** What calls of one model by one team came to. */
export interface StatementUsage {
  readonly model: string;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly calls: number;
  readonly cost: bigint;
}

/** What the books hold of a span of time. */
export interface StatementBooks {
  readonly opening: bigint;
  /** All that happened to the wallet in between, usage included. */
  readonly change: bigint;
  readonly lines: readonly StatementLine[];
  /** What usage took, as the ledger has it; never negative. */
  readonly used: bigint;
  readonly usage: readonly StatementUsage[];
}

export interface Statement {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly month: string;
  readonly timezone: string;
  readonly startMs: number;
  readonly endMs: number;
  /** False while the month lasts: more may come. */
  readonly isOver: boolean;
  readonly opening: bigint;
  readonly closing: bigint;
  readonly lines: readonly StatementLine[];
  readonly totals: Readonly<Record<StatementGroup, bigint>>;
  readonly usage: readonly StatementUsage[];
}

export const STATEMENT_GROUPS = ["purchases", "grants", "refunds", "adjustments", "usage"] as const;
export type StatementGroup = (typeof STATEMENT_GROUPS)[number];

const GROUP_OF: Readonly<Record<string, StatementGroup>> = {
  topup: "purchases",
  grant: "grants",
  voucher: "grants",
  refund: "refunds",
  dispute: "refunds",
};

/** Calls that were charged but whose records have been deleted since. */
export const NOT_ITEMISED = "(no longer itemised)";

interface Heading {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly month: string;
  readonly timezone: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isOver: boolean;
}

/** Adds up to the nano-USD, or throws: a statement that does not agree with the books is worse than none. */
export function drawStatement(heading: Heading, { opening, change, lines, used, usage }: StatementBooks): Statement {
  const totals: Record<StatementGroup, bigint> = {
    purchases: 0n,
    grants: 0n,
    refunds: 0n,
    adjustments: 0n,
    usage: -used,
  };
  for (const { kind, amount } of lines) totals[GROUP_OF[kind] ?? "adjustments"] += amount;
  const sum = STATEMENT_GROUPS.reduce((total, group) => total + totals[group], 0n);
  if (sum !== change) throw new Error(`the statement ${heading.month} of ${heading.organizationId} does not add up`);
  const missing = used - usage.reduce((total, { cost }) => total + cost, 0n);
  const rest = { model: NOT_ITEMISED, teamId: null, teamName: null, calls: 0, cost: missing };
  return {
    ...heading,
    opening,
    closing: opening + change,
    lines,
    totals,
    usage: missing === 0n ? usage : [...usage, rest],
  };
}
