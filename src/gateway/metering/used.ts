import type { ServiceTier } from "../../catalog/price.ts";
import type { ChargedUnits } from "../../contract/usage.ts";
import type { Reservation } from "./reservation.ts";

export interface MeasuredUsage {
  readonly units: ChargedUnits;
  readonly estimated: boolean;
}

/** A stream whose upstream tells of tokens before its end. */
export interface UsageSource {
  readonly usageSoFar: unknown;
}

/** An answer that broke off: who gave it, what was told of it, and how much there was of it. */
export interface InterruptedResponse {
  readonly at: Reservation;
  readonly tier: ServiceTier;
  readonly told: ChargedUnits | null;
  readonly source: UsageSource | null;
  readonly counted: Partial<ChargedUnits>;
  readonly upstreamId: string | null;
  readonly bytes: number;
}
