import type { SessionCaller } from "../contract/caller.ts";
import type { GatewayError } from "../contract/errors.ts";

/** As much of an organization as billing asks about. */
export interface BillingOrganization {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly createdAt: number;
  readonly billingEmail: string | null;
}

/**
 * The organization that a call works in, if the caller has the role in it; else throws, with `missing` where the caller may
 * not even know that it exists. Money is for administrators; members see the balance and no more.
 */
export type BillingAccess = (
  caller: SessionCaller,
  named: string | null,
  wanted: "admin" | "viewer",
  missing?: () => GatewayError,
) => Promise<BillingOrganization>;
