import { useQuery } from "@tanstack/react-query";
import type { UsageSumsRecord } from "../../../src/contract/usage-records.ts";
import { apiGet, type Query } from "../api/client.ts";
import { useOrganizationKey } from "../session/session.ts";
import { viewerZone } from "./format-time.ts";

/** What is told apart; names where the server knows them. */
export interface UsageNames {
  readonly model?: string | null;
  readonly status?: string | null;
  readonly apiKeyId?: string | null;
  readonly apiKeyName?: string | null;
  readonly teamId?: string | null;
  readonly teamName?: string | null;
  readonly userId?: number | null;
  readonly userEmail?: string | null;
  readonly provider?: string | null;
  readonly endpoint?: string;
  readonly tag?: string;
}

/** Sums of one step of time and one group. Those by tag know less: what was never counted is missing. */
export type UsageRow = { readonly start: string; readonly end: string } & UsageNames &
  Partial<UsageSumsRecord> &
  Pick<UsageSumsRecord, "requests" | "cost" | "totalTokens" | "promptTokens" | "completionTokens">;

export interface UsageReport<Row = UsageRow> {
  readonly data: readonly Row[];
  readonly totals: UsageSumsRecord;
  readonly meta: { readonly startDate: string; readonly endDate: string; readonly tz: string };
}

/** Sums of the active organization's calls, in the viewer's zone. */
export function useUsage(query: Query, options: { refetchMs?: number; path?: string } = {}) {
  const key = useOrganizationKey();
  const { refetchMs, path = "/api/gw/usage" } = options;
  const asked: Query = { tz: viewerZone(), ...query };
  return useQuery({
    queryKey: [...key, "usage", path, asked],
    queryFn: ({ signal }) => apiGet<UsageReport>(path, asked, signal),
    // The sums before stay while the next are read, if they are told apart by the same: else they would get wrong names.
    placeholderData: (before, query) => {
      const [, whose, , pathBefore, askedBefore] = (query?.queryKey ?? []) as readonly unknown[];
      const isAlike =
        whose === key[1] && pathBefore === path && (askedBefore as Query | undefined)?.groupBy === asked.groupBy;
      return isAlike ? before : undefined;
    },
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  });
}

/** A day of the viewer's calendar, so many days from today: `2026-11-15`. */
export function localDay(daysFromToday = 0, now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysFromToday);
  return dayOf(day);
}

export const dayOf = (at: Date): string =>
  `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`;

/** The beginning of the hour so many hours ago, to be sent as a time. */
export function hoursAgo(hours: number, now = new Date()): string {
  const at = new Date(now.getTime() - hours * 3_600_000);
  at.setMinutes(0, 0, 0);
  return at.toISOString();
}
