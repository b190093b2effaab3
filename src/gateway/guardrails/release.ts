import { GatewayError } from "../../contract/errors.ts";
import type { MeteredCall } from "../metering/call-accounting.ts";
import type { AnswerGuard } from "./response-guard.ts";

/** An answer before it leaves: what guardrails refuse has been worked for, and ends the call as charged. */
export async function release<T>(
  meter: Pick<MeteredCall, "guard" | "refuse">,
  look: (guard: AnswerGuard) => Promise<T>,
  answer: T,
): Promise<T> {
  const { guard } = meter;
  if (guard === null) return answer;
  try {
    return await look(guard);
  } catch (thrown) {
    // What cannot even be read is no answer: the upstream has failed.
    if (!(thrown instanceof GatewayError && thrown.kind === "upstream")) await meter.refuse(thrown);
    throw thrown;
  }
}
