import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Logger } from "../lib/log.ts";
import { checkPurchaseAmount } from "./amount.ts";
import { applyHappening } from "./apply-happening.ts";
import type { BillingAccess } from "./billing-access.ts";
import type { PaymentProvider } from "./providers/payment-provider.ts";
import { newPurchase } from "./purchases.ts";
import type { AutoTopUp, PaymentMethod, Purchase, TopUpAttempt } from "./records.ts";
import type { BillingStores } from "./store.ts";

export interface AutoTopUpDeps {
  readonly stores: BillingStores;
  readonly provider: PaymentProvider | null;
  readonly access: BillingAccess;
  readonly clock: Clock;
  readonly log: Logger;
  readonly forgetTeam: (teamId: string) => void;
  readonly monthAt: (zone: string, atMs: number) => { readonly startMs: number };
}

interface Person {
  readonly caller: SessionCaller;
  readonly address: string | null;
}

export interface TopUpSettings {
  readonly enabled: boolean;
  readonly threshold: bigint;
  readonly amount: bigint;
  readonly monthlyCap: bigint | null;
}

export interface SeenTopUp {
  readonly organizationId: string;
  readonly topUp: AutoTopUp | null;
  readonly method: PaymentMethod | null;
}

interface Opened {
  readonly purchase: Purchase;
  readonly epoch: number;
}

/** Takes back the attempt that was opened. */
class NotDueError extends Error {
  override readonly name = "NotDueError";
}

const RESUME_MS = 10 * 60 * 1000;
/** Providers forget keys after a day: then the same key is another charge. */
const GIVE_UP_MS = 20 * 60 * 60 * 1000;

/** Buys more by itself when the balance runs low, with a means of payment that was saved for it. */
export class AutoTopUps {
  constructor(private readonly deps: AutoTopUpDeps) {}

  async get(caller: SessionCaller, named: string | null): Promise<SeenTopUp> {
    const { id } = await this.deps.access(caller, named, "admin");
    return this.#see(id);
  }

  /** For who has shown already that they may see it. */
  of(organizationId: string): Promise<AutoTopUp | null> {
    return this.deps.stores.topUps.find(organizationId);
  }

  async put(actor: Person, named: string | null, wanted: TopUpSettings): Promise<SeenTopUp> {
    const { stores, access, clock } = this.deps;
    const { id: organizationId } = await access(actor.caller, named, "admin");
    checkPurchaseAmount(wanted.amount);
    if (wanted.monthlyCap !== null && wanted.monthlyCap < wanted.amount) {
      throw new GatewayError("invalid_request", "monthlyCap: it must be at least the amount of one top-up.");
    }
    if (wanted.enabled && !(await stores.methods.findActive(organizationId))) {
      throw new GatewayError("conflict", "Save a means of payment first: POST /api/billing/payment-method.");
    }
    const now = clock.nowMs();
    await stores.transaction(async (tx) => {
      const before = await tx.topUps.find(organizationId);
      const { enabled, threshold, amount, monthlyCap } = wanted;
      const settings = { threshold, amount, monthlyCap, declines: 0, retryAt: null, updatedAt: now };
      const status = enabled ? "on" : "off";
      await tx.topUps.put({ organizationId, ...settings, status, epoch: before?.epoch ?? 0 });
      const details = { enabled, threshold: String(threshold), amount: String(amount) };
      await this.#note(tx, actor, "billing.auto_top_up", organizationId, details);
    });
    return this.#see(organizationId);
  }

  /** Gives the page on which somebody saves a means of payment. */
  async beginSetup(actor: Person, named: string | null, base: string): Promise<{ readonly url: string }> {
    const { stores, access, provider, clock } = this.deps;
    const { id: organizationId } = await access(actor.caller, named, "admin");
    if (!provider) throw new GatewayError("conflict", "Credits cannot be bought here.");
    const now = clock.nowMs();
    const method: PaymentMethod = {
      id: newId(),
      organizationId,
      provider: provider.name,
      mode: provider.mode,
      status: "pending",
      customerRef: null,
      methodRef: null,
      label: null,
      createdBy: actor.caller.userId,
      createdAt: now,
      updatedAt: now,
    };
    await stores.transaction(async (tx) => {
      await tx.methods.insert(method);
      await this.#note(tx, actor, "payment_method.setup", organizationId, { methodId: method.id });
    });
    const back = `${base}/ui/billing`;
    return provider.createSetup(method.id, organizationId, { base, success: back, cancel: `${back}?cancelled=1` });
  }

  async removeMethod(actor: Person, named: string | null): Promise<void> {
    const { stores, access, clock } = this.deps;
    const { id: organizationId } = await access(actor.caller, named, "admin");
    await stores.transaction(async (tx) => {
      if ((await tx.methods.removeActive(organizationId, clock.nowMs())) === 0) {
        throw new GatewayError("not_found", "No means of payment is saved.");
      }
      await tx.topUps.update(organizationId, { status: "off", updatedAt: clock.nowMs() });
      await this.#note(tx, actor, "payment_method.remove", organizationId, {});
    });
  }

  /** Tops up whoever is due. Safe in every process at once: of two, one opens the attempt. Never throws. */
  async tick(): Promise<void> {
    const { stores, clock, log } = this.deps;
    const failed = (err: unknown): void => log.error({ err }, "balances could not be topped up");
    try {
      // One whose provider does not answer holds up nobody else.
      for (const { organizationId } of await stores.topUps.listDue(clock.nowMs()))
        await this.#topUp(organizationId).catch(failed);
      const open = await stores.topUps.listOpen(clock.nowMs() - RESUME_MS);
      for (const attempt of open) await this.#resume(attempt).catch(failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  async #topUp(organizationId: string): Promise<void> {
    const { stores, provider } = this.deps;
    const method = await stores.methods.findActive(organizationId);
    if (!provider || !method || method.provider !== provider.name || method.mode !== provider.mode) return;
    const opened = await this.#open(organizationId, provider);
    if (opened) await this.#charge(provider, method, opened.purchase, opened.epoch);
  }

  /** An attempt whose end was never heard of, as when a process ended in the middle: the same key is the same charge. */
  async #resume({ organizationId, purchaseId, epoch, createdAt }: TopUpAttempt): Promise<void> {
    const { stores, provider, clock } = this.deps;
    const [method, purchase] = [
      await stores.methods.findActive(organizationId),
      await stores.purchases.find(purchaseId),
    ];
    if (purchase?.status !== "pending") return;
    // Should it have been paid after all, the provider's event or its list still credits it.
    if (createdAt < clock.nowMs() - GIVE_UP_MS) return this.#declined(purchase, "Nobody heard how the payment ended.");
    if (!provider || !method || purchase.provider !== provider.name) return;
    // Asking with the key charges, where the first call never arrived.
    if (!(await stores.topUps.findChargeable(organizationId))) return;
    await this.#charge(provider, method, purchase, epoch);
  }

  async #charge(provider: PaymentProvider, method: PaymentMethod, purchase: Purchase, epoch: number): Promise<void> {
    const { id, customerRef, methodRef } = method;
    const saved = { id, customerRef: customerRef ?? "", methodRef: methodRef ?? "" };
    // What is thrown here leaves the attempt open: nobody knows whether it was charged, so it is asked again with its key.
    const result = await provider.chargeSaved(purchase, saved, `${purchase.organizationId}:${epoch}`);
    if (result.status === "paid") await this.#paid(provider, purchase, result.paymentRef);
    if (result.status === "declined") await this.#declined(purchase, result.reason);
  }

  /** The row of the attempt decides who charges; null where somebody else does, or nobody has to any more. */
  #open(organizationId: string, provider: PaymentProvider): Promise<Opened | null> {
    const { stores, clock } = this.deps;
    const now = clock.nowMs();
    const opening = stores.transaction(async (tx) => {
      const topUp = await tx.topUps.find(organizationId);
      if (!topUp || !(await this.#hasRoom(tx, topUp, now))) return null;
      const { amount } = topUp;
      const epoch = topUp.epoch + 1;
      const purchase = newPurchase({ organizationId, userId: null, kind: "auto_top_up", amount, provider, now });
      const attempt = { purchaseId: purchase.id, organizationId, epoch, amount, createdAt: now };
      if (!(await tx.topUps.openAttempt({ ...attempt, status: "open", error: null, endedAt: null }))) return null;
      // Once nobody else can charge: what was due when it was listed may have been paid, or switched off, since.
      const due = await tx.topUps.findDue(organizationId, now);
      if (due?.updatedAt !== topUp.updatedAt) throw new NotDueError();
      await tx.topUps.update(organizationId, { epoch });
      await tx.purchases.insert(purchase);
      return { purchase, epoch };
    });
    return opening.catch((thrown) => {
      if (thrown instanceof NotDueError) return null;
      throw thrown;
    });
  }

  async #hasRoom(tx: BillingStores, { organizationId, amount, monthlyCap }: AutoTopUp, now: number): Promise<boolean> {
    if (monthlyCap === null) return true;
    const charged = await tx.topUps.chargedSince(organizationId, this.deps.monthAt("UTC", now).startMs);
    return charged + amount <= monthlyCap;
  }

  async #paid(provider: PaymentProvider, purchase: Purchase, paymentRef: string): Promise<void> {
    const { stores, clock, forgetTeam } = this.deps;
    const { id: purchaseId, totalCents: amountCents, currency, mode } = purchase;
    const happening = { kind: "paid", purchaseId, paymentRef, amountCents, currency, mode } as const;
    const { changedTeams } = await stores.transaction((tx) =>
      applyHappening(tx, provider.name, happening, clock.nowMs()),
    );
    for (const teamId of changedTeams) forgetTeam(teamId);
  }

  async #declined({ id: purchaseId, provider }: Purchase, reason: string): Promise<void> {
    const { stores, clock } = this.deps;
    const happening = { kind: "failed", purchaseId, reason, final: true } as const;
    await stores.transaction((tx) => applyHappening(tx, provider, happening, clock.nowMs()));
  }

  async #see(organizationId: string): Promise<SeenTopUp> {
    const { topUps, methods } = this.deps.stores;
    return {
      organizationId,
      topUp: await topUps.find(organizationId),
      method: await methods.findActive(organizationId),
    };
  }

  #note(
    tx: BillingStores,
    { caller, address }: Person,
    action: string,
    organizationId: string,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const by = { userId: caller.userId, address };
    const target = { organizationId, targetType: "organization", targetId: organizationId };
    return tx.audit.note({ action, ...target, details, by }, this.deps.clock.nowMs());
  }
}
