import type { CallUnits } from "../../contract/usage.ts";
import type { MeterState } from "../../limits/meter.ts";
import { limitHeaders } from "../limits/limit-headers.ts";

/** Names the guardrails that looked at a call. */
export const APPLIED = "x-gw-applied-guardrails";
const NO_LIMITS: readonly MeterState[] = [];

/** What the answer to a call says of the call's way there: in headers, and of its tokens where the upstream does not. */
export class ResponseMetadata {
  /** By what the call is charged because its upstream did not count, once it is in the books. */
  estimate: Pick<CallUnits, "promptTokens" | "completionTokens"> | null = null;
  /** What is left of the caller's limits. */
  limits = NO_LIMITS;
  /** The guardrails that looked at it, by name. */
  guardrails = "";

  addTo(headers: Record<string, string>): Record<string, string> {
    limitHeaders(this.limits, headers);
    if (this.guardrails !== "") headers[APPLIED] = this.guardrails;
    return headers;
  }
}
