import type { Kysely } from "kysely";
import { accountKind, isWallet, organizationOf, type Posting } from "../../ledger/entry.ts";
import { isSqlite, jsonRows } from "../json-rows.ts";
import { statement } from "../statement.ts";
import type { Tables } from "../tables.ts";

/** Wallets before all others, each in the order of their ids: two transactions that lock alike never wait for each other. */
export const inLockOrder = (ids: Iterable<string>): string[] =>
  [...new Set(ids)].sort((a, b) => Number(isWallet(b)) - Number(isWallet(a)) || (a < b ? -1 : a > b ? 1 : 0));

/** Accounts exist from their first use on. */
export async function openAccounts(db: Kysely<Tables>, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  const accounts = inLockOrder(ids).map((id) => ({
    id,
    organizationId: isWallet(id) ? organizationOf(id) : null,
    kind: accountKind(id),
    balance: 0n,
    updatedAt: at,
  }));
  await db
    .insertInto("ledgerAccounts")
    .values(accounts)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Balances that stay as they are until the transaction ends. SQLite has one writer at a time anyway. */
export async function lockBalances(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (ids.length === 0) return new Map();
  const found = db.selectFrom("ledgerAccounts").select(["id", "balance"]).where("id", "in", ids).orderBy("id");
  const rows = await (isSqlite(db) ? found : found.forUpdate()).execute();
  return new Map(rows.map(({ id, balance }) => [id, balance]));
}

const MOVE_COLUMNS = { id: "text", amount: "bigint" } as const;

/** Gives the balances afterwards. Those that every process shares come last, so that they are locked the shortest. */
export async function moveBalances(
  db: Kysely<Tables>,
  postings: readonly Posting[],
  at: number,
): Promise<ReadonlyMap<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (const { accountId, amount } of postings) sums.set(accountId, (sums.get(accountId) ?? 0n) + amount);
  const order = inLockOrder(sums.keys());
  const wallets = order.filter(isWallet);
  const shared = order.filter((id) => !isWallet(id));
  const after = new Map<string, bigint>();
  // PostgreSQL updates in an order of its own, so the wallets have to be locked by now and the others go one by one.
  for (const ids of [wallets, ...shared.map((id) => [id])]) {
    if (ids.length === 0) continue;
    const rows = ids.map((id) => ({ id, amount: sums.get(id) }));
    const { rows: moved } = await statement<{ id: string; balance: bigint }>`
      update ledger_accounts set balance = balance + r.amount, updated_at = ${at}
      from ${jsonRows(MOVE_COLUMNS, rows)} where ledger_accounts.id = r.id
      returning ledger_accounts.id, ledger_accounts.balance`.execute(db);
    for (const { id, balance } of moved) after.set(id, balance);
  }
  return after;
}
