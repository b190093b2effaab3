import { isIP } from "node:net";
import { type DeliverWebhookDeps, deliverWebhook } from "../billing/deliver-webhook.ts";
import { GatewayError } from "../contract/errors.ts";
import { isPublicAddress } from "../lib/net/public-address.ts";
import { type Deliverer, Undeliverable } from "../outbox/outbox.ts";
import type { Transport } from "../providers/transport.ts";

const TIMEOUT_MS = 15_000;
const UNLESS = ", unless whoever runs the server sets general_settings.billing.allow_private_webhooks";

/** `webhook.deliver`: one notice to one endpoint of an organization. */
export const webhookDeliverer =
  (deps: DeliverWebhookDeps): Deliverer =>
  async ({ payload }) => {
    try {
      await deliverWebhook(deps, String(payload.deliveryId));
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.kind === "permission") throw new Undeliverable(thrown.message);
      throw thrown;
    }
  };

/** Through the door that all calls leave by: whoever names an address must not reach what only we can. */
export const postWebhook =
  (transport: Transport, allowPrivate: boolean): DeliverWebhookDeps["post"] =>
  async (url, headers, body) => {
    const request = { url, headers, body };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await (allowPrivate ? transport.send(request, signal) : transport.sendGuarded(request, signal));
    await response.body?.cancel();
    return response.status;
  };

/** What can be seen of an address without asking a name server; the rest is seen when it is called. */
export function refusePrivate(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const host = url?.hostname.replace(/^\[|\]$/g, "") ?? "";
  const isNamed = isIP(host) === 0 && host !== "localhost" && host.includes(".");
  if (url && url.username === "" && url.password === "" && (isNamed || isPublicAddress(host))) return;
  throw new GatewayError("invalid_request", `url: only public addresses are called${UNLESS}.`, { param: "url" });
}
