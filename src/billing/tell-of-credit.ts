import type { BillingStores } from "./store.ts";

/**
 * The same stores, which tell of every organization whose wallet was moved, once that is so: calls that were refused a moment
 * ago find the new credit at once, and none is let through by what was taken back.
 */
export function tellingOfCredit(stores: BillingStores, credited: (organizationId: string) => void): BillingStores {
  return {
    ...stores,
    async transaction(work) {
      const moved = new Set<string>();
      const result = await stores.transaction((tx) => {
        const post: BillingStores["ledger"]["post"] = (entry) => {
          moved.add(entry.organizationId);
          return tx.ledger.post(entry);
        };
        return work({ ...tx, ledger: { ...tx.ledger, post } });
      });
      for (const organizationId of moved) credited(organizationId);
      return result;
    },
  };
}
