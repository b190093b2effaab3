import { GatewayError } from "../../contract/errors.ts";
import type { Fields } from "../call/gateway.ts";
import { askedGuardrails } from "./requested-guardrails.ts";

/**
 * For requests behind which a call is made in the name of a key, or where no guardrail can look: one that names some is
 * refused, since who relies on a guardrail must not be let through without it. `reason` begins the answer.
 */
export function rejectRequestGuardrails(request: object, reason: string): void {
  const { guardrails, litellm_metadata } = request as Fields;
  if (!askedGuardrails({ guardrails, litellm_metadata })?.size) return;
  throw new GatewayError("invalid_request", `${reason}: leave out \`guardrails\`.`, { param: "guardrails" });
}

/** Where those of the key look, and no other. */
export const KEYS_OWN = "The guardrails of the key look at this, and none that a request names";
