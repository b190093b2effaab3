import type { Kysely } from "kysely";
import type { CountedCall } from "../../contract/usage.ts";
import { isWallet, organizationOf, type Posting, REVENUE, transfer, walletOf } from "../../ledger/entry.ts";
import {
  costsByPot,
  type EndedCall,
  type LeftOutcome,
  type SettleOutcome,
  type SettleStore,
} from "../../ledger/settle-store.ts";
import { newId } from "../../lib/ids.ts";
import { compareBalance, queueAlerts } from "../billing/watch-balance.ts";
import { isSqlite, jsonRows, kindOf } from "../json-rows.ts";
import { statement } from "../statement.ts";
import { StatementBatch } from "../statement-batch.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { rollupStatements } from "../usage/fold-rollups.ts";
import { UsageInsert } from "../usage/insert-usage.ts";
import { logBegins } from "../usage/remove-before.ts";
import { lockBalances, openAccounts, queueBalanceMoves } from "./accounts.ts";
import { retryDeadlocks } from "./deadlocks.ts";
import { BudgetCount } from "./spend-budgets.ts";
import { applyStanding } from "./team-blocks.ts";

export const settleStore = (db: Kysely<Tables>): SettleStore => ({
  settle: (owner, calls, now) => retryDeadlocks(() => inTransaction(db, (tx) => settle(tx, owner, calls, now))),
  settleRecovered: (owner, calls, now) =>
    retryDeadlocks(() => inTransaction(db, (tx) => settleRecovered(tx, owner, calls, now))),
});

async function settleRecovered(
  tx: Kysely<Tables>,
  owner: string,
  calls: readonly EndedCall[],
  now: number,
): Promise<LeftOutcome> {
  const beginOf = await logBegins(tx, new Set(calls.map(({ record }) => record.organizationId)));
  const known = calls.filter(({ record }) => record.at >= beginOf(record.organizationId));
  const forgotten = calls.length - known.length;
  if (known.length === 0) return { settled: 0, leases: new Map(), changedTeams: [], forgotten };
  return { ...(await settle(tx, owner, known, now)), forgotten };
}

/** Locks wallets, then budgets, then leases, then what all processes share: the order that leasing keeps too. */
async function settle(
  tx: Kysely<Tables>,
  owner: string,
  calls: readonly EndedCall[],
  now: number,
): Promise<SettleOutcome> {
  const payers = new Set<string>();
  for (const { record } of calls) {
    const payer = payerOf(record);
    if (payer !== null) payers.add(payer);
  }
  const wallets = [...payers].map(walletOf).sort();
  const together = new StatementBatch();
  if (wallets.length > 0) together.add(openAccounts([...wallets, REVENUE], now));
  // SQLite has one writer at a time anyway.
  if (!isSqlite(tx)) {
    await together.run(tx);
    await lockBalances(tx, wallets);
  }
  const entries = new Map([...payers].map((payer) => [payer, newId()]));
  const insert = new UsageInsert(calls, (record) => entries.get(payerOf(record) ?? "") ?? null);
  const inserted = together.add(insert);
  const budgets = new BudgetCount();
  budgets.askFor(together, calls);
  await together.run(tx);
  const added = insert.added(kindOf(tx), inserted());
  await budgets.count(tx, together, added, now);
  const creditSources = new Set([...new Set(calls.map((call) => call.creditSources))].flat());
  const leases = consumeLeases(together, owner, creditSources, costsByPot(added));
  if (added.length > 0) for (const folding of rollupStatements(added)) together.add(folding);
  const balances = postUsage(together, added, entries, now);
  const alerts = queueAlerts(together, [...payers]);
  await together.run(tx);
  await budgets.tell(tx, now);
  const changedTeams: string[] = [];
  for (const [id, balance] of balances()) {
    // Usage only takes: a balance that is not negative now was not negative before.
    if (!isWallet(id)) continue;
    const organizationId = organizationOf(id);
    await compareBalance(tx, organizationId, balance, alerts(organizationId), now);
    if (balance < 0n) changedTeams.push(...(await applyStanding(tx, organizationId, balance, now)));
  }
  return { settled: added.length, leases: leases(), changedTeams };
}

/** Whose wallet a call is taken from; null for what is free, and for calls without an organization. */
const payerOf = ({ organizationId, cost }: CountedCall): string | null => (cost > 0n ? organizationId : null);

/** One entry for each organization, however many of its calls there are; their rows have its id already. */
function postUsage(
  together: StatementBatch,
  added: readonly EndedCall[],
  ids: ReadonlyMap<string, string>,
  now: number,
): () => ReadonlyMap<string, bigint> {
  const byOrganization = new Map<string, { readonly id: string; calls: number; cost: bigint }>();
  for (const { record } of added) {
    const payer = payerOf(record);
    if (payer === null) continue;
    let sum = byOrganization.get(payer);
    if (sum === undefined) {
      sum = { id: ids.get(payer) ?? newId(), calls: 0, cost: 0n };
      byOrganization.set(payer, sum);
    }
    sum.calls++;
    sum.cost += record.cost;
  }
  if (byOrganization.size === 0) return () => new Map();
  const entries = [...byOrganization].map(([organizationId, { id, calls }]) => ({
    id,
    key: `usage:${id}`,
    kind: "usage",
    at: now,
    organization_id: organizationId,
    actor: "system",
    reason: "Usage",
    details: JSON.stringify({ calls }),
  }));
  together.add(statement`
    insert into ledger_entries (id, key, kind, at, organization_id, actor, reason, details)
    select id, key, kind, at, organization_id, actor, reason, details from ${jsonRows(ENTRY_COLUMNS, entries)}`);
  const postings = [...byOrganization].flatMap(([organizationId, { id, cost }]) =>
    transfer(walletOf(organizationId), REVENUE, cost).map((posting) => ({ ...posting, id })),
  );
  const rows = postings.map(({ id, accountId, amount }) => ({ entry_id: id, account_id: accountId, amount }));
  together.add(statement`
    insert into ledger_postings (entry_id, account_id, amount)
    select entry_id, account_id, amount from ${jsonRows(POSTING_COLUMNS, rows)}`);
  return queueBalanceMoves(together, postings satisfies readonly Posting[], now);
}

const ENTRY_COLUMNS = {
  id: "text",
  key: "text",
  kind: "text",
  at: "bigint",
  organization_id: "text",
  actor: "text",
  reason: "text",
  details: "text",
} as const;
const POSTING_COLUMNS = { entry_id: "text", account_id: "text", amount: "bigint" } as const;

const LEASE_COLUMNS = { pot: "text", owner: "text", amount: "bigint" } as const;

/** Leases shrink by what was spent, not below nothing: a call may cost more than was held for it. */
function consumeLeases(
  together: StatementBatch,
  owner: string,
  creditSources: ReadonlySet<string>,
  costs: ReadonlyMap<string, bigint>,
): () => ReadonlyMap<string, bigint> {
  if (creditSources.size === 0) return () => new Map();
  const rows = [...creditSources].sort().map((pot) => ({ pot, owner, amount: costs.get(pot) ?? 0n }));
  // The owner stands in the rows: by itself it made SQLite look at all leases for each row, 0.2 s for 10,000 of them.
  const left = together.add(statement<{ pot: string; amount: bigint }>`
    update leases set amount = case when leases.amount > r.amount then leases.amount - r.amount else 0 end
    from ${jsonRows(LEASE_COLUMNS, rows)}
    where leases.pot = r.pot and leases.owner = r.owner
    returning leases.pot, leases.amount`);
  return () => {
    const leases = new Map([...creditSources].map((pot) => [pot, 0n]));
    for (const { pot, amount } of left()) leases.set(pot, amount);
    return leases;
  };
}
