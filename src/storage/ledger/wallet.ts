import { type Kysely, sql } from "kysely";
import { walletOf } from "../../ledger/entry.ts";
import type { Wallet } from "../../ledger/store.ts";
import type { Tables } from "../tables.ts";

export async function readQuota(
  db: Kysely<Tables>,
  organizationId: string,
): Promise<{ readonly balance: bigint; readonly held: bigint; readonly updatedAt: number | null }> {
  const id = walletOf(organizationId);
  const row = await db
    .selectFrom("ledgerAccounts")
    .select(({ selectFrom }) => [
      "balance",
      "updatedAt",
      selectFrom("leases").select(sql<bigint>`coalesce(sum(amount), 0)`.as("amount")).where("pot", "=", id).as("held"),
    ])
    .where("id", "=", id)
    .executeTakeFirst();
  return { balance: row?.balance ?? 0n, held: row?.held ?? 0n, updatedAt: row?.updatedAt ?? null };
}

export async function readWallet(db: Kysely<Tables>, organizationId: string): Promise<Wallet> {
  const quota = await readQuota(db, organizationId);
  const sums = await db
    .selectFrom("ledgerPostings as posting")
    .innerJoin("ledgerEntries as entry", "entry.id", "posting.entryId")
    .select(["entry.kind", sql<bigint>`sum(posting.amount)`.as("sum")])
    .where("posting.accountId", "=", walletOf(organizationId))
    .groupBy("entry.kind")
    .execute();
  const { blocked } = await db
    .selectFrom("teams")
    .select(({ fn }) => fn.countAll<bigint>().as("blocked"))
    .where("organizationId", "=", organizationId)
    .where("blockedReason", "=", "balance")
    .executeTakeFirstOrThrow();
  const sumOf = (...kinds: string[]): bigint =>
    sums.filter(({ kind }) => kinds.includes(kind)).reduce((total, { sum }) => total + sum, 0n);
  return {
    organizationId,
    ...quota,
    purchased: sumOf("topup", "refund", "dispute"),
    granted: sumOf("grant", "voucher", "expiry", "adjustment"),
    used: -sumOf("usage"),
    blockedTeams: Number(blocked),
  };
}
