import { NOTICE_TYPES } from "../contract/notice-types.ts";
import type { Purchase } from "./records.ts";
import type { BillingStores } from "./store.ts";

/** What came of it. `parked` needs a person: the provider and our records say different things. */
export interface Applied {
  readonly status: "done" | "ignored" | "parked";
  readonly purchaseId: string | null;
  readonly error: string | null;
  readonly changedTeams: readonly string[];
}

/** The purchase may be on its way, or was never ours; the time it takes to turn up tells which. */
export class UnknownPurchaseError extends Error {
  override readonly name = "UnknownPurchaseError";
}

/** Within a transaction: who tells, and when we are told. */
export interface Scene {
  readonly tx: BillingStores;
  readonly provider: string;
  readonly now: number;
}

export async function lockPurchase({ tx }: Scene, id: string): Promise<Purchase> {
  const purchase = await tx.purchases.lock(id);
  if (!purchase) throw new UnknownPurchaseError(`The purchase ${id.slice(0, 64)} is not known.`);
  return purchase;
}

export const purchaseOfPayment = async (
  { tx, provider }: Scene,
  paymentRef: string | null,
): Promise<Purchase | null> => (paymentRef === null ? null : tx.purchases.findByPayment(provider, paymentRef));

/** On record for us, and told to the organization where it is one of the things that it is told. */
export async function note(
  tx: BillingStores,
  action: string,
  { id, organizationId, totalCents, currency }: Purchase,
  now: number,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.audit.note({ action, organizationId, targetType: "purchase", targetId: id, details, by: null }, now);
  const type = NOTICE_TYPES.find((one) => one === action);
  const data = { purchaseId: id, totalCents, currency, ...details };
  if (type) await tx.notices.tell({ type, organizationId, data, atMs: now });
}

export const ignored = (): Applied => ({ status: "ignored", purchaseId: null, error: null, changedTeams: [] });
export const done = ({ id }: Purchase, changedTeams: readonly string[] = []): Applied => ({
  status: "done",
  purchaseId: id,
  error: null,
  changedTeams,
});
export const parked = ({ id }: Purchase, error: string): Applied => ({
  status: "parked",
  purchaseId: id,
  error,
  changedTeams: [],
});
