import { isDatabaseAway } from "../contract/database-away.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { applyHappening } from "./apply-happening.ts";
import { type Applied, UnknownPurchaseError } from "./happening-scene.ts";
import type { PaymentEvent, PaymentProvider } from "./providers/payment-provider.ts";
import type { BillingStores } from "./store.ts";

export interface PaymentWebhookDeps {
  readonly stores: BillingStores;
  readonly providers: readonly PaymentProvider[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Keys of these teams are asked about anew. */
  readonly forgetTeam: (teamId: string) => void;
}

/** For so long a purchase that nobody knows may still turn up: an event can overtake the row that it is about. */
const UNKNOWN_MS = 60 * 60 * 1000;

/** Events of payment providers: each is carried out once, and told so only when that is on record. */
export class PaymentWebhooks {
  constructor(private readonly deps: PaymentWebhookDeps) {}

  async receive(providerName: string, headers: Headers, body: Uint8Array): Promise<void> {
    const provider = this.deps.providers.find(({ name }) => name === providerName);
    if (!provider) throw new GatewayError("not_found", "Payments by this provider are not set up here.");
    for (const event of await provider.verifyWebhook(headers, body)) await this.#carryOut(provider.name, event);
  }

  async #carryOut(provider: string, event: PaymentEvent): Promise<void> {
    const { stores, clock, forgetTeam } = this.deps;
    let applied: Applied | null;
    try {
      applied = await stores.transaction(async (tx) => {
        const now = clock.nowMs();
        const { status } = await tx.events.receive(provider, event, now);
        if (status === "done") return null;
        const result = await applyHappening(tx, provider, event.happening, now);
        await tx.events.finish(provider, event.id, result, now);
        return result;
      });
    } catch (thrown) {
      return this.#noteFailure(provider, event, thrown);
    }
    for (const teamId of applied?.changedTeams ?? []) forgetTeam(teamId);
    if (applied?.status === "parked") this.#alert(provider, event, applied.error ?? "");
  }

  /** The transaction took its own note with it. What fails is sent again by the provider, so it must not hear of success. */
  async #noteFailure(provider: string, event: PaymentEvent, thrown: unknown): Promise<void> {
    const { stores, clock } = this.deps;
    const isUnknown = thrown instanceof UnknownPurchaseError;
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    const outcome = await stores
      .transaction(async (tx) => {
        const now = clock.nowMs();
        const { status, firstSeenAt } = await tx.events.receive(provider, event, now);
        if (status === "done") return "done" as const;
        const next = isUnknown && now - firstSeenAt >= UNKNOWN_MS ? ("parked" as const) : ("failed" as const);
        await tx.events.finish(provider, event.id, { status: next, error }, now);
        return next;
      })
      .catch(() => "failed" as const);
    if (outcome === "done") return;
    if (outcome === "parked") return this.#alert(provider, event, error);
    if (isDatabaseAway(thrown)) throw thrown;
    throw new GatewayError("internal", "The event could not be carried out; send it again.", { cause: thrown });
  }

  #alert(provider: string, { id, type }: PaymentEvent, error: string): void {
    this.deps.log.error({ provider, event: id, type, reason: error }, "a payment event needs a person");
  }
}
