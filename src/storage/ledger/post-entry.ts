import type { Kysely } from "kysely";
import { GatewayError } from "../../contract/errors.ts";
import { checkEntry, type Entry, isWallet, organizationOf } from "../../ledger/entry.ts";
import type { PostOutcome } from "../../ledger/store.ts";
import { encodeJson } from "../accounts/json-columns.ts";
import { watchBalance } from "../billing/watch-balance.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { lockBalances, moveBalances, openAccounts } from "./accounts.ts";
import { recallLeases } from "./lease-store.ts";
import { applyStanding } from "./team-blocks.ts";

/** JSON numbers are exact up to here: nine million dollars. */
const BALANCE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** Writes an entry once per key, moves the balances and blocks or unblocks teams, all in one transaction. */
export function postEntry(db: Kysely<Tables>, entry: Entry): Promise<PostOutcome> {
  checkEntry(entry);
  return inTransaction(db, async (tx) => {
    const ids = entry.postings.map(({ accountId }) => accountId);
    await openAccounts(ids, entry.at).execute(tx);
    await lockBalances(tx, ids.filter(isWallet));
    const { postings, ...row } = entry;
    const inserted = await tx
      .insertInto("ledgerEntries")
      .values({ ...row, details: encodeJson(row.details) })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (inserted === undefined) return postedBefore(tx, entry);
    await tx
      .insertInto("ledgerPostings")
      .values(postings.map((posting) => ({ ...posting, entryId: entry.id })))
      .execute();
    const balances = await moveBalances(tx, postings, entry.at);
    // What is taken away may be leased: processes that nobody tells of it would let calls spend it.
    for (const { accountId, amount } of postings)
      if (isWallet(accountId) && amount < 0n) await recallLeases(tx, accountId, entry.at);
    const changedTeams: string[] = [];
    for (const [id, balance] of balances) {
      if (!isWallet(id)) continue;
      if (balance > BALANCE_MAX) throw new GatewayError("invalid_request", "A wallet cannot hold that much credit.");
      await watchBalance(tx, organizationOf(id), balance, entry.at);
      changedTeams.push(...(await applyStanding(tx, organizationOf(id), balance, entry.at)));
    }
    return { entryId: entry.id, posted: true, balance: walletBalance(balances), changedTeams };
  });
}

/** The key is known: the same entry is fine, another one under its key is not. */
async function postedBefore(db: Kysely<Tables>, entry: Entry): Promise<PostOutcome> {
  const known = await db.selectFrom("ledgerEntries").selectAll().where("key", "=", entry.key).executeTakeFirstOrThrow();
  const postings = await db
    .selectFrom("ledgerPostings")
    .select(["accountId", "amount"])
    .where("entryId", "=", known.id)
    .execute();
  const written = new Map(postings.map(({ accountId, amount }) => [accountId, amount]));
  const isSame =
    known.kind === entry.kind &&
    known.organizationId === entry.organizationId &&
    postings.length === entry.postings.length &&
    entry.postings.every(({ accountId, amount }) => written.get(accountId) === amount);
  if (!isSame) throw new GatewayError("conflict", "Another entry was made under the same key.");
  const balances = await lockBalances(db, entry.postings.map(({ accountId }) => accountId).filter(isWallet));
  return { entryId: known.id, posted: false, balance: walletBalance(balances), changedTeams: [] };
}

const walletBalance = (balances: ReadonlyMap<string, bigint>): bigint =>
  [...balances].find(([id]) => isWallet(id))?.[1] ?? 0n;
