import type { AdminCaller, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { PageNumbers } from "../contract/paging.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { KeyedSerialQueue } from "../lib/keyed-serial-queue.ts";
import { checkPurchaseAmount, NANO_PER_CENT, toCents } from "./amount.ts";
import type { BillingAccess } from "./billing-access.ts";
import type { PaymentProvider } from "./providers/payment-provider.ts";
import type { Purchase } from "./records.ts";
import { refundKey } from "./refund-key.ts";
import type { BillingStores, Paged, PurchaseOrder } from "./store.ts";

export interface PurchaseDeps {
  readonly stores: BillingStores;
  /** Null where nothing can be bought. */
  readonly provider: PaymentProvider | null;
  readonly access: BillingAccess;
  readonly clock: Clock;
}

interface Person {
  readonly caller: SessionCaller;
  readonly address: string | null;
}

interface CheckoutInput {
  readonly actor: Person;
  readonly named: string | null;
  readonly amount: bigint;
  /** Where people reach this installation. */
  readonly base: string;
}

const CHECKOUT_MS = 23 * 60 * 60 * 1000;
const CURRENCY = "usd";

/** Buying credits. Who administers an organization buys for it, and sees what was bought. */
export class Purchases {
  readonly #refunds = new KeyedSerialQueue();

  constructor(private readonly deps: PurchaseDeps) {}

  /** The row is there before the provider hears of it, so that whatever it tells later finds one. */
  async checkout({ actor, named, amount, base }: CheckoutInput): Promise<Purchase> {
    const { stores, access, clock } = this.deps;
    const { id: organizationId } = await access(actor.caller, named, "admin");
    checkPurchaseAmount(amount);
    const provider = this.#requireProvider();
    const now = clock.nowMs();
    const purchase = newPurchase({
      organizationId,
      userId: actor.caller.userId,
      kind: "checkout",
      amount,
      provider,
      now,
    });
    await stores.transaction(async (tx) => {
      await tx.purchases.insert(purchase);
      const by = { userId: actor.caller.userId, address: actor.address };
      const details = { amount: String(amount), provider: provider.name };
      await tx.audit.note({ ...targetOf(purchase), action: "purchase.create", details, by }, now);
    });
    return this.#openCheckout(provider, purchase, base);
  }

  async #openCheckout(provider: PaymentProvider, purchase: Purchase, base: string): Promise<Purchase> {
    const { stores, clock } = this.deps;
    const back = `${base}/ui/billing?purchase=${purchase.id}`;
    try {
      const { url, providerRef } = await provider.createCheckout(purchase, {
        base,
        success: back,
        cancel: `${back}&cancelled=1`,
      });
      const changes = { checkoutUrl: url, providerRef, updatedAt: clock.nowMs() };
      await stores.purchases.update(purchase.id, changes);
      return { ...purchase, ...changes };
    } catch (thrown) {
      const failure = "The payment provider could not be asked.";
      const changes = { status: "failed" as const, failure, updatedAt: clock.nowMs() };
      // The first failure is the one to tell; an unpaid purchase that stays pending does no harm.
      await stores.purchases.update(purchase.id, changes).catch(() => undefined);
      throw thrown;
    }
  }

  async list(
    caller: SessionCaller,
    named: string | null,
    page: PageNumbers,
    order?: PurchaseOrder,
  ): Promise<Paged<Purchase>> {
    const { id } = await this.deps.access(caller, named, "admin");
    return this.deps.stores.purchases.list(id, page, order);
  }

  async get(caller: SessionCaller, purchaseId: string): Promise<Purchase> {
    const purchase = await this.deps.stores.purchases.find(purchaseId);
    if (!purchase) throw noPurchase();
    await this.deps.access(caller, purchase.organizationId, "admin", noPurchase);
    return purchase;
  }

  /** Asks the provider to give back; the books follow when it tells that it has. */
  refund(caller: AdminCaller, address: string | null, purchaseId: string, amount: bigint | null): Promise<Purchase> {
    // One after another: what is left is read before it is asked for, and the offline provider asks nobody else.
    return this.#refunds.run(purchaseId, () => this.#refund(caller, address, purchaseId, amount));
  }

  async #refund(
    caller: AdminCaller,
    address: string | null,
    purchaseId: string,
    amount: bigint | null,
  ): Promise<Purchase> {
    const { stores, clock } = this.deps;
    const purchase = await stores.purchases.find(purchaseId);
    if (!purchase) throw noPurchase();
    const provider = this.#requireProvider();
    if (provider.name !== purchase.provider) {
      throw new GatewayError("conflict", `Payments by ${purchase.provider} are not set up here any more.`);
    }
    const left = purchase.amount - purchase.refunded - purchase.disputed;
    if (purchase.status !== "paid" || left === 0n) {
      throw new GatewayError("conflict", "There is nothing of this purchase to give back.");
    }
    const wanted = amount ?? left;
    if (wanted <= 0n || wanted > left || wanted % NANO_PER_CENT !== 0n) {
      throw new GatewayError(
        "invalid_request",
        "amount: it must be whole cents, and no more than is left of the purchase.",
      );
    }
    const failures = await stores.failedRefunds.list(purchaseId);
    const key = refundKey(purchase.id, toCents(purchase.refunded + wanted), failures.length);
    const by = { userId: caller.kind === "session" ? caller.userId : null, address };
    const details = { amount: String(wanted) };
    await stores.audit.note({ ...targetOf(purchase), action: "purchase.refund", details, by }, clock.nowMs());
    await provider.refund(purchase, toCents(wanted), key);
    return (await stores.purchases.find(purchaseId)) ?? purchase;
  }

  #requireProvider(): PaymentProvider {
    if (this.deps.provider) return this.deps.provider;
    throw new GatewayError("conflict", "Credits cannot be bought here; an administrator can grant them.");
  }
}

interface NewPurchase {
  readonly organizationId: string;
  readonly userId: number | null;
  readonly kind: Purchase["kind"];
  readonly amount: bigint;
  readonly provider: PaymentProvider;
  readonly now: number;
}

export const newPurchase = ({ organizationId, userId, kind, amount, provider, now }: NewPurchase): Purchase => ({
  id: newId(),
  organizationId,
  userId,
  kind,
  amount,
  totalCents: toCents(amount),
  currency: CURRENCY,
  status: "pending",
  provider: provider.name,
  mode: provider.mode,
  providerRef: null,
  paymentRef: null,
  checkoutUrl: null,
  refunded: 0n,
  disputed: 0n,
  failure: null,
  createdAt: now,
  updatedAt: now,
  expiresAt: now + CHECKOUT_MS,
  paidAt: null,
});

const targetOf = ({ id, organizationId }: Purchase) => ({ organizationId, targetType: "purchase", targetId: id });

const noPurchase = (): GatewayError => new GatewayError("not_found", "There is no such purchase.");
