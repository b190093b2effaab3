import { type QueryKey, useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { useOrganizationKey } from "../../session/session.ts";

/** What `/api/quota` tells. Amounts are nano-USD. */
export interface Quota {
  readonly balance: number;
  readonly held: number;
  readonly available: number;
  readonly purchased: number;
  readonly granted: number;
  readonly used: number;
  readonly status: "active" | "exceeded";
  readonly blockedTeams: number;
}

/** Everything of the organization's credit is read again when one of its keys is. */
export const useBillingKey = (): QueryKey => [...useOrganizationKey(), "billing"];

const REFRESH_MS = 15_000;

export function useQuota() {
  const key = useBillingKey();
  return useQuery({
    queryKey: [...key, "quota"],
    queryFn: ({ signal }) => apiGet<Quota>("/api/quota", {}, signal),
    refetchInterval: REFRESH_MS,
  });
}
