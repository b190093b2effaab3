import type { Kysely } from "kysely";
import type { CreditStore } from "../../accounts/store.ts";
import { transfer, walletOf } from "../../ledger/entry.ts";
import { newId } from "../../lib/ids.ts";
import { watchBalance } from "../billing/watch-balance.ts";
import { lockBalances } from "../ledger/accounts.ts";
import { postEntry } from "../ledger/post-entry.ts";
import { applyStanding } from "../ledger/team-blocks.ts";
import { readQuota } from "../ledger/wallet.ts";
import type { Tables } from "../tables.ts";

export function creditStore(db: Kysely<Tables>): CreditStore {
  return {
    post({ organizationId, amount, against, ...credit }) {
      const postings = transfer(against, walletOf(organizationId), amount);
      return postEntry(db, { id: newId(), ...credit, organizationId, postings });
    },
    quotaOf: (organizationId) => readQuota(db, organizationId),
    async applyStanding(organizationId, at) {
      // Whoever moves the balance in the same moment has the wallet, too, so that one of the two sees what the other did.
      const wallet = walletOf(organizationId);
      const balance = (await lockBalances(db, [wallet])).get(wallet) ?? 0n;
      return applyStanding(db, organizationId, balance, at);
    },
    async tellOfBalance(organizationId, at) {
      const wallet = walletOf(organizationId);
      const balance = (await lockBalances(db, [wallet])).get(wallet);
      // Who never had credit, nor was charged, has lost none.
      if (balance === undefined) return;
      await db
        .updateTable("balanceAlerts")
        .set({ firedAt: null })
        .where("organizationId", "=", organizationId)
        .execute();
      await watchBalance(db, organizationId, balance, at);
    },
    async isKnown(organizationId) {
      const account = await db
        .selectFrom("ledgerAccounts")
        .select("id")
        .where("id", "=", walletOf(organizationId))
        .executeTakeFirst();
      if (account) return true;
      for (const table of ["purchases", "paymentMethods", "webhookEndpoints", "usageQuarters"] as const) {
        const found = await db
          .selectFrom(table)
          .select("organizationId")
          .where("organizationId", "=", organizationId)
          .limit(1)
          .executeTakeFirst();
        if (found) return true;
      }
      return false;
    },
  };
}
