import type { Clock } from "../lib/clock.ts";
import type { EndpointRests } from "./endpoint-rests.ts";
import type { BillingStores } from "./store.ts";
import { endpointSecret, signWebhook } from "./webhook-signature.ts";

export interface DeliverWebhookDeps {
  readonly stores: BillingStores;
  readonly clock: Clock;
  readonly rootSecret: string;
  readonly rests: EndpointRests;
  /** Gives the status of the answer. Refuses addresses that are not public, unless that is allowed. */
  readonly post: (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<number>;
}

/** Brings one delivery to its endpoint and notes how it went; throws what is a reason to try again. */
export async function deliverWebhook(deps: DeliverWebhookDeps, deliveryId: string): Promise<void> {
  const { stores, clock, rootSecret, rests, post } = deps;
  const delivery = await stores.deliveries.find(deliveryId);
  const endpoint = delivery && (await stores.endpoints.find(delivery.endpointId));
  // Removed in the meantime, or switched off: there is nobody to tell.
  if (!delivery || !endpoint || endpoint.status !== "active") return;
  const secret = endpointSecret(rootSecret, endpoint.id, endpoint.secretVersion);
  const signed = signWebhook(secret, delivery.eventId, delivery.payload, clock.nowMs());
  const note = (status: "delivered" | "failed", responseStatus: number | null, error: string | null) =>
    stores.deliveries.noteAttempt(delivery.id, { status, responseStatus, error }, clock.nowMs());
  const send = async (): Promise<number> => {
    const status = await post(endpoint.url, { "content-type": "application/json", ...signed }, delivery.payload);
    if (status < 200 || status >= 300) throw new Refused(status);
    return status;
  };
  let status: number;
  try {
    // Another address of the same endpoint has not kept anybody waiting yet.
    status = await rests.through(`${endpoint.id} ${endpoint.url}`, send);
  } catch (thrown) {
    const answered = thrown instanceof Refused ? thrown.status : null;
    await note("failed", answered, thrown instanceof Error ? thrown.message : String(thrown));
    throw thrown;
  }
  await note("delivered", status, null);
}

class Refused extends Error {
  constructor(readonly status: number) {
    super(`The endpoint answered ${status}.`);
  }
}
