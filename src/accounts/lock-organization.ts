import type { AccountStores } from "./store.ts";

/** Holds back every other change in the organization until the transaction ends. */
export const lockOrganization = (tx: AccountStores, organizationId: string, now: number): Promise<void> =>
  tx.organizations.update(organizationId, { updatedAt: now });
