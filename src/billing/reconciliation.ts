import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { applyHappening } from "./apply-happening.ts";
import { UnknownPurchaseError } from "./happening-scene.ts";
import type { Happening, PaymentProvider } from "./providers/payment-provider.ts";
import type { BillingStores } from "./store.ts";

export interface ReconciliationDeps {
  readonly stores: BillingStores;
  readonly providers: readonly PaymentProvider[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly forgetTeam: (teamId: string) => void;
}

export interface ReconciliationReport {
  readonly looked: number;
  /** Paid or given back at the provider, and only now in our books. */
  readonly mended: number;
  /** What needs a person. */
  readonly odd: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LOOK_BACK_MS = 4 * DAY_MS;

/** Compares the provider's books with ours, because an event can be lost for good. Safe in every process at once. */
export class Reconciliation {
  #ranAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<unknown> | null = null;

  constructor(private readonly deps: ReconciliationDeps) {}

  /** Called often; works once a day. Never throws. */
  async tick(): Promise<void> {
    const now = this.deps.clock.monotonicMs();
    if (this.#running || now - this.#ranAtMs < DAY_MS) return;
    this.#ranAtMs = now;
    this.#running = this.run()
      .catch((thrown) => this.deps.log.error({ err: thrown }, "payments could not be compared with the provider's"))
      .finally(() => {
        this.#running = null;
      });
    await this.#running;
  }

  async run(): Promise<ReconciliationReport> {
    const { providers, clock, log } = this.deps;
    const report = { looked: 0, mended: 0, odd: 0 };
    for (const provider of providers) {
      for (const happening of await provider.listSince(clock.nowMs() - LOOK_BACK_MS)) {
        report.looked++;
        const found = await this.#compare(provider.name, happening);
        if (found !== "same") report[found]++;
      }
    }
    const { mended, odd } = report;
    if (mended > 0 || odd > 0) log.warn({ mended, odd }, "payments of the provider were not in the books");
    return report;
  }

  /** A refund that somebody made on the provider's own pages does not carry our id. */
  async #purchaseOf(provider: string, happening: Happening): Promise<string | null> {
    if ("purchaseId" in happening && happening.purchaseId !== null) return happening.purchaseId;
    if (happening.kind !== "refund_failed" || happening.paymentRef === null) return null;
    return (await this.deps.stores.purchases.findByPayment(provider, happening.paymentRef))?.id ?? null;
  }

  async #compare(provider: string, happening: Happening): Promise<"same" | "mended" | "odd"> {
    const { stores, clock, log, forgetTeam } = this.deps;
    const purchaseId = await this.#purchaseOf(provider, happening);
    if (purchaseId === null) return "same";
    const before = await stores.purchases.find(purchaseId);
    try {
      const applied = await stores.transaction((tx) => applyHappening(tx, provider, happening, clock.nowMs()));
      for (const teamId of applied.changedTeams) forgetTeam(teamId);
      if (applied.status === "parked") {
        log.error({ provider, purchaseId, reason: applied.error }, "a payment does not fit its purchase");
        return "odd";
      }
    } catch (thrown) {
      if (!(thrown instanceof UnknownPurchaseError)) throw thrown;
      log.error({ provider, purchaseId }, "a payment is for a purchase that nobody knows");
      return "odd";
    }
    const after = await stores.purchases.find(purchaseId);
    const isSame = before?.status === after?.status && before?.refunded === after?.refunded;
    return isSame ? "same" : "mended";
  }
}
