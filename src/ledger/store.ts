import type { PageNumbers } from "../contract/paging.ts";
import type { Entry, EntryKind } from "./entry.ts";

/** The books in the database. `storage/` implements it; everything may throw `database`. */
export interface LedgerStore {
  /** Once per key. The same entry again changes nothing; another one with its key is a `conflict`. */
  post(entry: Entry): Promise<PostOutcome>;
  wallet(organizationId: string): Promise<Wallet>;
  /** What moved the wallet, the newest first unless told (`asc`), with the balance after each. */
  list(organizationId: string, page: PageNumbers, direction?: "asc" | "desc"): Promise<LedgerPage>;
}

export interface PostOutcome {
  readonly entryId: string;
  /** False where the entry was there already. */
  readonly posted: boolean;
  /** Of the wallet, where the entry touches one. */
  readonly balance: bigint;
  /** Teams that were blocked for the balance and no longer are, or the other way round. */
  readonly changedTeams: readonly string[];
}

/** An organization's credit. */
export interface Wallet {
  readonly organizationId: string;
  readonly balance: bigint;
  /** What running processes have set aside for calls. */
  readonly held: bigint;
  readonly purchased: bigint;
  readonly granted: bigint;
  readonly used: bigint;
  readonly blockedTeams: number;
  readonly updatedAt: number | null;
}

export interface LedgerLine {
  readonly id: string;
  readonly at: number;
  readonly kind: EntryKind;
  readonly amount: bigint;
  /** Of the wallet, after this entry. */
  readonly balance: bigint;
  readonly actor: string;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface LedgerPage {
  readonly rows: readonly LedgerLine[];
  readonly total: number;
}
