import Type from "typebox";
import type { PaymentWebhooks } from "../../billing/payment-webhooks.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

const BODY_BYTES_MAX = 256 * 1024;

export const paymentWebhook = (webhooks: PaymentWebhooks) =>
  route({
    method: "POST",
    paths: ["/api/webhooks/{provider}"],
    tag: "Billing",
    summary: "Take events of a payment provider",
    description:
      "For the provider alone: `stripe`, or `test`, which plays one. The body is checked against its `Stripe-Signature`. " +
      "2xx means that the event has been carried out and is on record; anything else asks for it again.",
    auth: "none",
    params: Type.Object({ provider: Type.String() }),
    success: Type.Object({ received: Type.Boolean() }),
    errors: ["invalid_request", "not_found", "database"],
    skipsIpAllowlist: true,
    // The bytes as they were sent: what was parsed and written again has another signature.
    rawBytesMax: BODY_BYTES_MAX,
    async handle({ params, request, rawBody }) {
      await webhooks.receive(params.provider, request.headers, rawBody);
      return json({ received: true });
    },
  });
