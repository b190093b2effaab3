import type { AuditChainStore } from "../accounts/audit-chain.ts";
import type { AccountStores } from "../accounts/store.ts";
import type { BackgroundStore } from "../assistants/background-store.ts";
import type { ConversationStore } from "../assistants/conversation-store.ts";
import type { KeptResponseStore } from "../assistants/kept-response-store.ts";
import type { AssistantStores } from "../assistants/store.ts";
import type { BatchStore } from "../batches/store.ts";
import type { BillingStores } from "../billing/store.ts";
import type { StorageUsageStore } from "../files/storage-limits.ts";
import type { FileStores } from "../files/store.ts";
import type { LedgerAudit } from "../ledger/audit.ts";
import type { BudgetSpending } from "../ledger/budget-spending.ts";
import type { IdempotencyStore } from "../ledger/idempotency-store.ts";
import type { LeaseStore } from "../ledger/leases.ts";
import type { SettleStore } from "../ledger/settle-store.ts";
import type { LedgerStore } from "../ledger/store.ts";
import type { OutboxStore } from "../outbox/store.ts";
import type { TrainingStores } from "../training/store.ts";
import type { UsageStore } from "../usage/store.ts";
import { accountStores } from "./accounts/account-stores.ts";
import { auditChainStore } from "./accounts/audit-chain.ts";
import { assistantStores } from "./assistants/assistant-stores.ts";
import { backgroundStore } from "./assistants/background.ts";
import { conversationStore } from "./assistants/conversations.ts";
import { keptResponseStore } from "./assistants/responses.ts";
import type { Backend } from "./backend.ts";
import { batchStore } from "./batches/batch-store.ts";
import { billingStores } from "./billing/billing-stores.ts";
import { fileStores } from "./files/file-stores.ts";
import { storageUsageStore } from "./files/storage-usage.ts";
import { ledgerAudit } from "./ledger/audit/audit.ts";
import { budgetSpending } from "./ledger/budget-spending.ts";
import { keptAnswers } from "./ledger/idempotency-store.ts";
import { leaseStore } from "./ledger/lease-store.ts";
import { ledgerStore } from "./ledger/ledger-store.ts";
import { settleStore } from "./ledger/settle.ts";
import { listPending, migrateUp } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { outboxStore } from "./outbox/outbox-store.ts";
import { openPostgres } from "./postgres/open-postgres.ts";
import { makeVectorTable } from "./postgres/vector-table.ts";
import { openSqlite } from "./sqlite/open-sqlite.ts";
import { type SqliteThreads, sqliteThreads } from "./sqlite/threads.ts";
import { trainingStores } from "./training/training-stores.ts";
import { usageStore } from "./usage/usage-store.ts";

const TIMEOUT_MS = 5_000;

export interface StorageSettings {
  /** Null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** How long a call waits for the database before it is told that there is none. */
  readonly timeoutMs?: number;
  /** Of SQLite, where they were begun before. */
  readonly threads?: SqliteThreads | null;
}

export interface Storage {
  readonly kind: "sqlite" | "postgres";
  readonly accounts: AccountStores;
  readonly outbox: OutboxStore;
  readonly usage: UsageStore;
  readonly keptAnswers: IdempotencyStore;
  readonly ledger: LedgerStore;
  readonly leases: LeaseStore;
  readonly settlement: SettleStore;
  readonly audit: LedgerAudit;
  readonly auditChain: AuditChainStore;
  readonly budgets: BudgetSpending;
  readonly billing: BillingStores;
  readonly assistants: AssistantStores;
  readonly responses: KeptResponseStore;
  readonly conversations: ConversationStore;
  readonly background: BackgroundStore;
  readonly files: FileStores;
  readonly storageUsage: StorageUsageStore;
  readonly batches: BatchStore;
  readonly training: TrainingStores;
  /** Throws `database` when there is no answer. */
  ping(): Promise<void>;
  /** The names of the migrations that were applied now; safe to call again. */
  migrate(): Promise<readonly string[]>;
  pendingMigrations(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Never waits: a database that is down shows at the first call, and later calls succeed once it is up. */
export function openStorage(settings: StorageSettings): Storage {
  const backend = openBackend(settings);
  return {
    kind: backend.kind,
    accounts: accountStores(backend.db),
    outbox: outboxStore(backend.db),
    usage: usageStore(backend.db),
    keptAnswers: keptAnswers(backend.db),
    ledger: ledgerStore(backend.db),
    leases: leaseStore(backend.db),
    settlement: settleStore(backend.db),
    audit: ledgerAudit(backend),
    auditChain: auditChainStore(backend),
    budgets: budgetSpending(backend.db),
    billing: billingStores(backend.db),
    assistants: assistantStores(backend.db),
    responses: keptResponseStore(backend.db),
    conversations: conversationStore(backend.db),
    background: backgroundStore(backend.db),
    files: fileStores(backend.db),
    storageUsage: storageUsageStore(backend.db),
    batches: batchStore(backend.db),
    training: trainingStores(backend.db),
    ping: () => backend.ping(),
    async migrate() {
      const applied = await migrateUp(backend, migrations);
      await makeVectorTable(backend);
      return applied;
    },
    pendingMigrations: () => listPending(backend, migrations),
    close: () => backend.close(),
  };
}

export function openBackend({ databaseUrl, dataDir, timeoutMs = TIMEOUT_MS, threads }: StorageSettings): Backend {
  if (databaseUrl !== null) return openPostgres({ url: databaseUrl, timeoutMs });
  return openSqlite(threads ?? sqliteThreads({ dataDir, timeoutMs }));
}
