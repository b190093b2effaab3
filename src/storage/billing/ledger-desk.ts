import type { Kysely } from "kysely";
import type { LedgerWriter } from "../../billing/store.ts";
import { cashOf, GRANTS, transfer, walletOf } from "../../ledger/entry.ts";
import { newId } from "../../lib/ids.ts";
import { lockOrganization } from "../accounts/lock-organization.ts";
import { lockBalances } from "../ledger/accounts.ts";
import { postEntry } from "../ledger/post-entry.ts";
import type { Tables } from "../tables.ts";

/** Billing's entries in the ledger's words. */
export function ledgerDesk(db: Kysely<Tables>): LedgerWriter {
  return {
    async lockBalance(organizationId) {
      // Who never had credit has no wallet to lock.
      await lockOrganization(db, organizationId);
      const wallet = walletOf(organizationId);
      return (await lockBalances(db, [wallet])).get(wallet) ?? 0n;
    },
    async post({ key, kind, organizationId, amount, cash, atMs, userId, reason, details }) {
      const from = cash === null ? GRANTS : cashOf(cash);
      return postEntry(db, {
        id: newId(),
        key,
        kind,
        at: atMs,
        organizationId,
        actor: userId === null ? "system" : `user:${userId}`,
        reason,
        details,
        postings: transfer(from, walletOf(organizationId), amount),
      });
    },
  };
}
