import { type Kysely, sql } from "kysely";
import { walletOf } from "../../ledger/entry.ts";
import type { LedgerStore } from "../../ledger/store.ts";
import { decodeObject } from "../accounts/json-columns.ts";
import { paged } from "../accounts/paged.ts";
import type { Tables } from "../tables.ts";
import { postEntry } from "./post-entry.ts";
import { readWallet } from "./wallet.ts";

export function ledgerStore(db: Kysely<Tables>): LedgerStore {
  return {
    post: (entry) => postEntry(db, entry),
    wallet: (organizationId) => readWallet(db, organizationId),
    async list(organizationId, page, direction = "desc") {
      const accountId = walletOf(organizationId);
      const lines = db
        .selectFrom("ledgerPostings as posting")
        .innerJoin("ledgerEntries as entry", "entry.id", "posting.entryId")
        .select([
          "entry.id",
          "entry.at",
          "entry.kind",
          "entry.actor",
          "entry.reason",
          "entry.details",
          "posting.amount",
        ])
        .where("posting.accountId", "=", accountId)
        // Ids sort by time. Of the posting, because that is what the index has.
        .orderBy("posting.entryId", direction);
      const { rows, total } = await paged(lines, page);
      let balance = await balanceAfter(db, accountId, rows[0]?.id ?? null);
      return {
        total,
        rows: rows.map(({ details, ...line }, at) => {
          const shown = { ...line, details: decodeObject(details), balance };
          if (direction === "desc") balance -= line.amount;
          else balance += rows[at + 1]?.amount ?? 0n;
          return shown;
        }),
      };
    },
  };
}

/** The sum of what was posted up to the entry. What came later is subtracted, since people look at the newest. */
async function balanceAfter(db: Kysely<Tables>, accountId: string, entryId: string | null): Promise<bigint> {
  if (entryId === null) return 0n;
  const row = await db
    .selectFrom("ledgerAccounts")
    .select(({ selectFrom }) => [
      "balance",
      selectFrom("ledgerPostings")
        .select(sql<bigint>`coalesce(sum(amount), 0)`.as("sum"))
        .where("accountId", "=", accountId)
        .where("entryId", ">", entryId)
        .as("later"),
    ])
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  return row.balance - (row.later ?? 0n);
}
