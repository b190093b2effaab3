import type { PageNumbers } from "../contract/paging.ts";
import type { Sorting } from "../contract/sorting.ts";
import type {
  AlertStore,
  DeliveryStore,
  EndpointStore,
  NoticeWriter,
  PaymentMethodStore,
  TopUpStore,
} from "./notice-stores.ts";
import type { Happening, PaymentEvent } from "./providers/payment-provider.ts";
import type { Dispute, EventStatus, FailedRefund, Purchase, StoredEvent, Voucher } from "./records.ts";
import type { StatementBooks, StatementLine } from "./statement.ts";

export interface Paged<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** What billing needs of a database. `storage/` implements it; everything may throw `database` or `conflict`. */
export interface BillingStores {
  readonly purchases: PurchaseStore;
  readonly disputes: DisputeStore;
  readonly failedRefunds: FailedRefundStore;
  readonly events: EventStore;
  readonly vouchers: VoucherStore;
  readonly statements: StatementStore;
  readonly notices: NoticeWriter;
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  readonly alerts: AlertStore;
  readonly methods: PaymentMethodStore;
  readonly topUps: TopUpStore;
  readonly ledger: LedgerWriter;
  readonly audit: AuditWriter;
  /** All or nothing; `work` uses the stores that it is handed, never the outer ones. */
  transaction<T>(work: (stores: BillingStores) => Promise<T>): Promise<T>;
}

export interface PurchaseStore {
  find(id: string): Promise<Purchase | null>;
  /** The same, and nobody else changes it before the transaction ends. */
  lock(id: string): Promise<Purchase | null>;
  findByPayment(provider: string, paymentRef: string): Promise<Purchase | null>;
  /** Whether its organization was removed; the books of it stay. */
  isAbandoned(purchase: Purchase): Promise<boolean>;
  insert(purchase: Purchase): Promise<void>;
  update(
    id: string,
    changes: Partial<Omit<Purchase, "id" | "organizationId" | "amount" | "totalCents">>,
  ): Promise<void>;
  /** The newest first unless told. */
  list(organizationId: string, page: PageNumbers, order?: PurchaseOrder): Promise<Paged<Purchase>>;
}

export type PurchaseOrder = Sorting<"createdAt" | "amount">;

export interface DisputeStore {
  find(provider: string, id: string): Promise<Dispute | null>;
  insert(dispute: Dispute): Promise<void>;
  /** Those of a purchase that were not won. */
  listStanding(purchaseId: string): Promise<readonly Dispute[]>;
  /** How much was taken for it. */
  setAmount(provider: string, id: string, amount: bigint): Promise<void>;
  close(provider: string, id: string, status: "won" | "lost", atMs: number): Promise<void>;
}

export interface FailedRefundStore {
  list(purchaseId: string): Promise<readonly FailedRefund[]>;
  insert(refund: FailedRefund): Promise<void>;
}

export interface EventStore {
  /** Notes that the event came, once more maybe, and holds it until the transaction ends. */
  receive(provider: string, event: PaymentEvent, atMs: number): Promise<StoredEvent>;
  finish(
    provider: string,
    id: string,
    outcome: { readonly status: EventStatus; readonly purchaseId?: string | null; readonly error?: string | null },
    atMs: number,
  ): Promise<void>;
  /** What was told of a purchase since then, and carried out; from an earlier version, with less in it. */
  listDone(provider: string, purchaseId: string, sinceMs: number): Promise<readonly Happening[]>;
  list(
    filter: { readonly status?: EventStatus },
    page: PageNumbers,
    order: PaymentEventOrder,
  ): Promise<Paged<StoredEvent>>;
}

export type PaymentEventOrder = Sorting<"firstSeenAt" | "updatedAt" | "attempts">;

export interface VoucherStore {
  find(id: string): Promise<Voucher | null>;
  insert(voucher: Voucher): Promise<void>;
  list(page: PageNumbers, order: VoucherOrder): Promise<Paged<Voucher>>;
  /** False where it has been redeemed or revoked before. */
  revoke(id: string, atMs: number): Promise<boolean>;
  /** The voucher, if it can be redeemed and now has been; null otherwise. */
  redeem(
    hash: string,
    use: { readonly organizationId: string; readonly redeemedBy: number; readonly redeemedAt: number },
  ): Promise<Voucher | null>;
}

export type VoucherOrder = Sorting<"createdAt" | "amount" | "expiresAt" | "redeemedAt">;

/** The books of one organization between two moments, as one look at them finds it. */
export interface StatementStore {
  read(organizationId: string, startMs: number, endMs: number): Promise<StatementBooks>;
  /** The time zones that the organization had before its present one, in their order. */
  formerZones(organizationId: string): Promise<readonly { readonly timezone: string; readonly endedAt: number }[]>;
  /** What a purchase did to the wallet: the credits that it brought, and what went back of them. */
  readPurchase(organizationId: string, purchaseId: string): Promise<readonly StatementLine[]>;
}

/** An entry of the books that moves a wallet; what stands on the other side is the provider's cash, or what is given away. */
export interface BillingEntry {
  /** The same key is the same entry: it is written once. */
  readonly key: string;
  readonly kind: "topup" | "refund" | "dispute" | "voucher";
  readonly organizationId: string;
  /** What the wallet gains, in nano-USD; below zero where it loses. */
  readonly amount: bigint;
  /** The provider whose cash it is; null for what is given away. */
  readonly cash: string | null;
  readonly atMs: number;
  /** Null: the program itself. */
  readonly userId: number | null;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Posted {
  /** Of the wallet, with the entry. */
  readonly balance: bigint;
  /** Teams that were blocked or unblocked by it: whoever remembers them must forget them after the commit. */
  readonly changedTeams: readonly string[];
}

/** The ledger, as far as billing writes to it. */
export interface LedgerWriter {
  /** The balance, which stays so until the transaction ends; others who ask for the same wait. */
  lockBalance(organizationId: string): Promise<bigint>;
  post(entry: BillingEntry): Promise<Posted>;
}

export interface BillingNote {
  readonly action: string;
  readonly organizationId: string | null;
  readonly targetType: string;
  readonly targetId: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Null: the program itself. */
  readonly by: { readonly userId: number | null; readonly address: string | null } | null;
}

export interface AuditWriter {
  note(note: BillingNote, atMs: number): Promise<void>;
}
