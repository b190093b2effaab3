import type { MeterState } from "../limits/meter.ts";
import { limitHeaders } from "./limits/tell-limits.ts";

/** Names the guardrails that looked at a call. */
export const APPLIED = "x-gw-applied-guardrails";
const NO_LIMITS: readonly MeterState[] = [];

/** What the answer to a call says in headers of the call's way there. */
export class Told {
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
