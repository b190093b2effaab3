import type { Generated } from "kysely";
import type { ChainEnd, EndName } from "../accounts/audit-chain.ts";
import type { DeploymentSwitch, StoredCredential, StoredDeployment } from "../accounts/model-records.ts";
import type { OperatorRule } from "../accounts/operator-rule.ts";
import type {
  ApiKey,
  AuditEntry,
  Budget,
  EndUser,
  Invitation,
  LinkToken,
  Organization,
  OrganizationMember,
  Session,
  Team,
  TeamMember,
  User,
} from "../accounts/records.ts";
import type {
  ConnectGrant,
  DeviceLogin,
  ManagementToken,
  Passkey,
  RecoveryCode,
  TwoFactorRecord,
  UserIdentity,
} from "../accounts/sign-in-records.ts";
import type { BackgroundResponse } from "../assistants/background-store.ts";
import type { Run } from "../assistants/run-records.ts";
import type { Batch, LineResult } from "../batches/records.ts";
import type {
  AutoTopUp,
  BalanceAlert,
  Dispute,
  FailedRefund,
  PaymentMethod,
  Purchase,
  StoredEvent,
  TopUpAttempt,
  Voucher,
  WebhookDelivery,
  WebhookEndpoint,
} from "../billing/records.ts";
import type { UsageRecord } from "../contract/usage.ts";
import type { StoreBatch, StoredFile, StoreEntry } from "../files/records.ts";
import type { AccountKind, Entry, Posting } from "../ledger/entry.ts";
import type { KeptCall } from "../ledger/idempotency-store.ts";
import type { Lease } from "../ledger/leases.ts";
import type { TrainingEvent, TrainingParticipant, TrainingRun } from "../training/records.ts";
import type { OwnerTotal, Rollup } from "../usage/rollup.ts";
import type { CallContents, PriceVersion } from "../usage/store.ts";

/** Columns as the program sees them; `migrations/` has them as the databases do. */
export type Tables = {
  users: Omit<User, "id" | "metadata" | "models" | "furtherBudgets"> & {
    id: Generated<number>;
    metadata: Generated<string>;
    models: Generated<string>;
    viewer: Generated<boolean>;
    furtherBudgets: Generated<string>;
  };
  organizations: WithText<Organization, "models" | "allowedIps" | "metadata">;
  organizationMembers: OrganizationMember;
  teams: WithText<
    Team,
    "models" | "modelAliases" | "modelLimits" | "furtherBudgets" | "guardrails" | "tags" | "metadata"
  >;
  organizationZones: { organizationId: string; timezone: string; endedAt: number };
  teamMembers: TeamMember;
  apiKeys: WithText<
    ApiKey,
    "models" | "modelLimits" | "furtherBudgets" | "aliases" | "allowedIps" | "guardrails" | "tags" | "metadata"
  >;
  unseenKeyValues: { keyId: string; sealed: string };
  budgets: WithText<Budget, "modelLimits" | "furtherBudgets">;
  endUsers: EndUser;
  sessions: Session;
  /** The number and the hash are null until the row is sealed. */
  auditLog: WithText<AuditEntry, "details"> & { seq: bigint | null; hash: string | null };
  auditChain: Omit<ChainEnd, "seq"> & { name: EndName; seq: bigint };
  twoFactors: TwoFactorRecord;
  recoveryCodes: RecoveryCode;
  userIdentities: UserIdentity;
  deviceLogins: DeviceLogin;
  connectGrants: ConnectGrant;
  passkeys: WithText<Passkey, "transports">;
  spentChallenges: { id: string; expiresAt: number };
  managementTokens: WithText<ManagementToken, "scopes">;
  invitations: Invitation;
  linkTokens: LinkToken;
  outbox: OutboxRow;
  settings: { name: string; value: string };
  storageUsage: { teamId: string; bytes: bigint };
  storageChanges: { id: Generated<number>; teamId: string; bytes: bigint };
  storageQuotas: { organizationId: string; bytes: bigint };
  purchases: Purchase;
  disputes: Dispute;
  failedRefunds: FailedRefund;
  vouchers: Voucher;
  paymentMethods: PaymentMethod;
  autoTopUps: AutoTopUp;
  topUpAttempts: TopUpAttempt;
  balanceAlerts: BalanceAlert;
  webhookEndpoints: WithText<WebhookEndpoint, "events">;
  webhookDeliveries: WebhookDelivery;
  webhookEvents: StoredEvent & { event: string };
  usageLog: WithText<UsageRecord, "costParts" | "attempts" | "tags" | "metadata"> & {
    teamName: string | null;
    /** The ledger entry that charged it; null while there is none, and for what was free. */
    entryId: string | null;
  };
  usageContents: CallContents;
  usageQuarters: Rollup;
  /** By day of UTC. */
  usageDays: Rollup;
  usageTotals: OwnerTotal;
  /** By quarter of an hour, of calls that are no longer in the log. */
  removedSpend: { spender: "deployment" | "tag"; name: string; at: number; cost: bigint };
  priceVersions: PriceVersion;
  idempotency: KeptCall;
  deployments: WithText<StoredDeployment, "params" | "info">;
  credentials: StoredCredential;
  operatorRules: WithText<OperatorRule, "value">;
  deploymentSwitches: Omit<DeploymentSwitch, "weight"> & { weightMilli: number | null };
  ledgerAccounts: { id: string; organizationId: string | null; kind: AccountKind; balance: bigint; updatedAt: number };
  ledgerEntries: WithText<Omit<Entry, "postings">, "details">;
  ledgerPostings: Posting & { entryId: string };
  leases: Lease;
  budgetSpend: BudgetSpend;
  toldExpiries: { keyId: string; expiresAt: number };
  budgetAlerts: { organizationId: string; percents: string };
  assistants: { id: string; teamId: string | null; createdAt: number; fields: string };
  threads: { id: string; teamId: string | null; createdAt: number; messagesMade: number; fields: string };
  responses: {
    id: string;
    teamId: string | null;
    previousId: string | null;
    createdAt: number;
    expiresAt: number;
    input: string;
    answer: string;
  };
  backgroundResponses: BackgroundResponse;
  conversations: {
    id: string;
    teamId: string | null;
    createdAt: number;
    metadata: string;
    itemsMade: number;
    chars: number;
  };
  conversationItems: { conversationId: string; position: number; id: string; item: string };
  responseEvents: { responseId: string; last: number; events: string };
  threadMessages: {
    id: string;
    threadId: string;
    position: number;
    createdAt: number;
    runId: string | null;
    fields: string;
  };
  runs: WithText<Run, "settings" | "progress" | "metadata"> & { activeThreadId: string | null };
  files: Omit<StoredFile, "sizeBytes"> & { sizeBytes: bigint };
  vectorStores: {
    id: string;
    teamId: string | null;
    createdAt: number;
    lastActiveAt: number;
    expiresAt: number | null;
    fields: string;
  };
  vectorStoreBatches: StoreBatch;
  vectorStoreFiles: Omit<
    StoreEntry,
    "organizationId" | "usedBytes" | "chunking" | "attributes" | "lastError" | "source"
  > & {
    usedBytes: bigint;
    fields: string;
  };
  passages: {
    id: Generated<number>;
    vectorStoreId: string;
    entryId: string;
    fileId: string;
    position: number;
    text: string;
    vector: Uint8Array;
  };
  batches: WithText<Batch, "asked" | "progress">;
  batchLines: LineResult & { batchId: string };
  trainingParticipants: WithText<TrainingParticipant, "probe">;
  /** `listed`: what a list shows of the plan; null in rows that an earlier version made. */
  trainingRuns: WithText<TrainingRun, "plan"> & { listed: string | null };
  trainingEvents: WithText<TrainingEvent, "data">;
  runSteps: { id: string; runId: string; position: number; createdAt: number; fields: string };
};

interface BudgetSpend {
  pot: string;
  organizationId: string | null;
  spent: bigint;
  updatedAt: number;
  /** Whose it is and the window; null in rows that an earlier version made, until they are needed again. */
  subject: string | null;
  startsAt: number | null;
  endsAt: number | null;
  /** Counts only calls of this model; null: of any. */
  model: string | null;
  /** What was told already in this window: the highest percentage, and that the soft budget was passed. */
  toldPercent: Generated<number>;
  toldSoft: Generated<boolean>;
}

interface OutboxRow {
  id: string;
  topic: string;
  payload: string;
  attempts: number;
  /** Null once it was sent or given up; a time to come while somebody is at it, or until the next try. */
  dueAt: number | null;
  createdAt: number;
  sentAt: number | null;
  failedAt: number | null;
  lastError: string | null;
}

/** Lists and objects are JSON in a text column, since neither database has a type for them that the other knows. */
type WithText<T, Columns extends keyof T> = Omit<T, Columns> & Record<Columns, string>;
