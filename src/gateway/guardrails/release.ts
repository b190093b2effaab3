import { GatewayError } from "../../contract/errors.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import type { ResponseGuard } from "./response-guard.ts";

/** An answer before it leaves: what guardrails refuse has been worked for, and ends the call as charged. */
export async function release<T>(
  accounting: Pick<CallAccounting, "guard" | "refuse">,
  look: (guard: ResponseGuard) => Promise<T>,
  answer: T,
): Promise<T> {
  const { guard } = accounting;
  if (guard === null) return answer;
  try {
    return await look(guard);
  } catch (thrown) {
    // What cannot even be read is no answer: the upstream has failed.
    if (!(thrown instanceof GatewayError && thrown.kind === "upstream")) await accounting.refuse(thrown);
    throw thrown;
  }
}
