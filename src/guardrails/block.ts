import { GatewayError } from "../contract/errors.ts";

/** A guardrail refused something. What it found is told by its category alone, never by its text. */
export class GuardrailBlock extends GatewayError {
  constructor(
    readonly guardrail: string,
    readonly category: string,
    readonly phase: "request" | "answer",
  ) {
    super("content_policy", `The guardrail \`${guardrail}\` refused the ${phase}: ${category}.`);
  }
}
