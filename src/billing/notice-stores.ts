import type { NoticeType } from "../contract/notice-types.ts";
import type { PageNumbers } from "../contract/paging.ts";
import type {
  AutoTopUp,
  BalanceAlert,
  ListedDelivery,
  PaymentMethod,
  TopUpAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from "./records.ts";

/** Something that an organization is told: to its webhook endpoints, and by mail where that is worth one. */
export interface Notice {
  readonly type: NoticeType;
  readonly organizationId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
  /** Whom the mail goes to, where it is for one person of the organization. */
  readonly readerId?: number;
}

export interface NoticeWriter {
  /** Written now, in the transaction of what caused it; delivered after its commit. */
  tell(notice: Notice): Promise<void>;
  /** Tells of active keys that end before then, and of values whose successors nobody picks up, once for each end. Gives how many. */
  tellOfExpiring(beforeMs: number, nowMs: number): Promise<number>;
}

export interface EndpointStore {
  /** Holds back everybody else who adds one to the organization until the transaction ends. */
  lock(organizationId: string): Promise<void>;
  /** The oldest first. */
  list(organizationId: string): Promise<readonly WebhookEndpoint[]>;
  find(id: string): Promise<WebhookEndpoint | null>;
  insert(endpoint: WebhookEndpoint): Promise<void>;
  update(
    id: string,
    changes: Partial<
      Pick<WebhookEndpoint, "url" | "description" | "events" | "status" | "secretVersion" | "updatedAt">
    >,
  ): Promise<void>;
  /** With its deliveries. */
  remove(id: string): Promise<void>;
}

export interface DeliveryStore {
  find(id: string): Promise<WebhookDelivery | null>;
  /** The newest first. */
  list(
    endpointId: string,
    page: PageNumbers,
  ): Promise<{ readonly rows: readonly ListedDelivery[]; readonly total: number }>;
  noteAttempt(
    id: string,
    outcome: Pick<WebhookDelivery, "status" | "responseStatus" | "error">,
    atMs: number,
  ): Promise<void>;
  /** To be delivered once more. */
  replay(id: string, atMs: number): Promise<void>;
}

export interface AlertStore {
  /** Shares of budgets at which the organization is told, in percent; null where it has chosen none. */
  percents(organizationId: string): Promise<readonly number[] | null>;
  choosePercents(organizationId: string, percents: readonly number[]): Promise<void>;
  list(organizationId: string): Promise<readonly BalanceAlert[]>;
  /** Thresholds above the present balance count as told about already. */
  replace(organizationId: string, thresholds: readonly bigint[], balance: bigint, atMs: number): Promise<void>;
}

export interface PaymentMethodStore {
  find(id: string): Promise<PaymentMethod | null>;
  findActive(organizationId: string): Promise<PaymentMethod | null>;
  insert(method: PaymentMethod): Promise<void>;
  /** It takes the place of the one that was active. */
  activate(
    method: PaymentMethod,
    found: Pick<PaymentMethod, "customerRef" | "methodRef" | "label">,
    atMs: number,
  ): Promise<void>;
  /** Gives how many there were. */
  removeActive(organizationId: string, atMs: number): Promise<number>;
}

export interface TopUpStore {
  find(organizationId: string): Promise<AutoTopUp | null>;
  put(topUp: AutoTopUp): Promise<void>;
  update(
    organizationId: string,
    changes: Partial<Pick<AutoTopUp, "status" | "declines" | "retryAt" | "epoch" | "updatedAt">>,
  ): Promise<void>;
  /** Null where nobody may charge a card by itself now: it is off, or the organization is invoiced, blocked, gone or without an owner. */
  findChargeable(organizationId: string): Promise<AutoTopUp | null>;
  /** Those of them that are below their threshold and need not wait. */
  listDue(nowMs: number): Promise<readonly AutoTopUp[]>;
  findDue(organizationId: string, nowMs: number): Promise<AutoTopUp | null>;
  /** What was or is being charged since then. */
  chargedSince(organizationId: string, sinceMs: number): Promise<bigint>;
  /** False where another attempt is open: there is one at a time. */
  openAttempt(attempt: TopUpAttempt): Promise<boolean>;
  endAttempt(purchaseId: string, status: "paid" | "declined", error: string | null, atMs: number): Promise<boolean>;
  findAttempt(purchaseId: string): Promise<TopUpAttempt | null>;
  /** Attempts that were begun before then and whose end nobody has noted. */
  listOpen(beforeMs: number): Promise<readonly TopUpAttempt[]>;
}
