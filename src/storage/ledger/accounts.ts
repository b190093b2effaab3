import type { Kysely } from "kysely";
import { accountKind, isWallet, organizationOf, type Posting } from "../../ledger/entry.ts";
import { isSqlite, jsonRows } from "../json-rows.ts";
import { type Statement, statement } from "../statement.ts";
import { StatementBatch } from "../statement-batch.ts";
import type { Tables } from "../tables.ts";

/** Wallets before all others, each in the order of their ids: two transactions that lock alike never wait for each other. */
const inLockOrder = (ids: Iterable<string>): string[] =>
  [...new Set(ids)].sort((a, b) => Number(isWallet(b)) - Number(isWallet(a)) || (a < b ? -1 : a > b ? 1 : 0));

const ACCOUNT_COLUMNS = { place: "integer", id: "text", organization_id: "text", kind: "text" } as const;

/** Accounts exist from their first use on. */
export function openAccounts(ids: readonly string[], at: number): Statement<never> {
  const accounts = inLockOrder(ids).map((id, place) => ({
    place,
    id,
    organization_id: isWallet(id) ? organizationOf(id) : null,
    kind: accountKind(id),
  }));
  return statement<never>`
    insert into ledger_accounts (id, organization_id, kind, balance, updated_at)
    select id, organization_id, kind, 0, ${at} from ${jsonRows(ACCOUNT_COLUMNS, accounts)} where true order by place
    on conflict (id) do nothing`;
}

/** Balances that stay as they are until the transaction ends. SQLite has one writer at a time anyway. */
export async function lockBalances(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (ids.length === 0) return new Map();
  const found = db.selectFrom("ledgerAccounts").select(["id", "balance"]).where("id", "in", ids).orderBy("id");
  const rows = await (isSqlite(db) ? found : found.forUpdate()).execute();
  return new Map(rows.map(({ id, balance }) => [id, balance]));
}

const MOVE_COLUMNS = { id: "text", amount: "bigint" } as const;

/** Gives the balances afterwards. */
export async function moveBalances(
  tx: Kysely<Tables>,
  postings: readonly Posting[],
  at: number,
): Promise<ReadonlyMap<string, bigint>> {
  const together = new StatementBatch();
  const after = queueBalanceMoves(together, postings, at);
  await together.run(tx);
  return after();
}

/** The same with other statements. Those that every process shares come last, so that they are locked the shortest. */
export function queueBalanceMoves(
  together: StatementBatch,
  postings: readonly Posting[],
  at: number,
): () => ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { accountId, amount } of postings) sums.set(accountId, (sums.get(accountId) ?? 0n) + amount);
  const order = inLockOrder(sums.keys());
  const wallets = order.filter(isWallet);
  const shared = order.filter((id) => !isWallet(id));
  // PostgreSQL updates in an order of its own, so the wallets have to be locked by now and the others go one by one.
  const moving = [wallets, ...shared.map((id) => [id])]
    .filter((ids) => ids.length > 0)
    .map((ids) => {
      const rows = ids.map((id) => ({ id, amount: sums.get(id) }));
      return together.add(statement<{ id: string; balance: bigint }>`
        update ledger_accounts set balance = balance + r.amount, updated_at = ${at}
        from ${jsonRows(MOVE_COLUMNS, rows)} where ledger_accounts.id = r.id
        returning ledger_accounts.id, ledger_accounts.balance`);
    });
  return () => new Map(moving.flatMap((moved) => moved().map(({ id, balance }) => [id, balance] as const)));
}
