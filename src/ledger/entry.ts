/** Entries of the books. Amounts are nano-USD; a wallet's positive posting is more credit. */
export const ENTRY_KINDS = ["topup", "grant", "usage", "refund", "dispute", "adjustment", "expiry", "voucher"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface Posting {
  readonly accountId: string;
  readonly amount: bigint;
}

export interface Entry {
  readonly id: string;
  /** What happens once has one key: a second entry with it is the first one again. */
  readonly key: string;
  readonly kind: EntryKind;
  readonly at: number;
  readonly organizationId: string | null;
  /** `user:<id>`, `master_key` or `system`. */
  readonly actor: string;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly postings: readonly Posting[];
}

export const REVENUE = "revenue";
export const GRANTS = "grants";

const WALLET = "wallet:";

/** The wallet's account, and the pot that calls draw on. */
export const walletOf = (organizationId: string): string => WALLET + organizationId;

export const isWallet = (id: string): boolean => id.startsWith(WALLET);

export const organizationOf = (walletId: string): string => walletId.slice(WALLET.length);

export const cashOf = (provider: string): string => `cash:${provider}`;

export type AccountKind = "wallet" | "revenue" | "cash" | "grants" | "adjustments";

/** The kind is the part of the id before the colon. */
export function accountKind(id: string): AccountKind {
  const [kind = ""] = id.split(":");
  if (!KINDS.has(kind)) throw new TypeError(`there is no kind of account ${kind}`);
  return kind as AccountKind;
}
const KINDS: ReadonlySet<string> = new Set(["wallet", "revenue", "cash", "grants", "adjustments"]);

/** An entry that does not add up is a fault of the program: it must never reach the database. */
export function checkEntry({ key, postings }: Pick<Entry, "key" | "postings">): void {
  const sum = postings.reduce((total, { amount }) => total + amount, 0n);
  const accounts = new Set(postings.map(({ accountId }) => accountId));
  if (postings.length < 2 || sum !== 0n || accounts.size !== postings.length) {
    throw new TypeError(`the entry ${key} does not add up`);
  }
  if (postings.some(({ amount }) => amount === 0n)) throw new TypeError(`the entry ${key} has a posting of nothing`);
}

/** From one account to another: the one way in which anything moves. */
export const transfer = (from: string, to: string, amount: bigint): readonly Posting[] => [
  { accountId: from, amount: -amount },
  { accountId: to, amount },
];
