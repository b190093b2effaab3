import Type from "typebox";
import type { Credits } from "../../accounts/credits.ts";
import { amountOf, amountRecord, balanceRecord, GrantBody, GrantRecord } from "../../contract/billing.ts";
import { GatewayError } from "../../contract/errors.ts";
import { eitherOf } from "../../contract/organizations.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

const KEY = /^[\x20-\x7e]{1,255}$/;

export const grantCredits = (credits: Credits) =>
  route({
    method: "POST",
    paths: ["/api/admin/organizations/{id}/credits"],
    tag: "Administration",
    summary: "Give an organization credit",
    description:
      "With the header `Idempotency-Key` (or `idempotencyKey` in the body) a repeated call is the first one again; with " +
      "another amount it is refused. Credit that brings the balance back to zero or more unblocks the teams.",
    auth: "admin",
    params: Type.Object({ id: Type.String() }),
    body: GrantBody,
    success: GrantRecord,
    errors: ["not_found", "conflict", "invalid_request"],
    async handle({ caller, params, body, request, connection }) {
      const amount = amountOf(body);
      const key = request.headers.get("idempotency-key") ?? eitherOf(body.idempotencyKey, body.idempotency_key) ?? null;
      if (key !== null && !KEY.test(key)) {
        throw new GatewayError("invalid_request", "Idempotency-Key: it has 1 to 255 printable ASCII characters.");
      }
      const actor = { caller, address: connection.remoteAddress };
      const reason = body.reason.trim();
      const { entryId, posted, balance } = await credits.grant({
        actor,
        organizationId: params.id,
        amount,
        reason,
        key,
      });
      return json({
        id: entryId,
        organizationId: params.id,
        ...amountRecord(amount),
        ...balanceRecord(balance),
        replayed: !posted,
      });
    },
  });
