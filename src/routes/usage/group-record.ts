import { formatUsd } from "../../contract/money.ts";
import type { UsageSumsRecord } from "../../contract/usage-records.ts";
import { noSums } from "../../usage/rollup.ts";
import type { NamedThings, UsageGroup, UsageTotals } from "../../usage/store.ts";

export function sumsRecord(sums: UsageTotals, admin: boolean): UsageSumsRecord {
  return {
    requests: Number(sums.requests),
    failedRequests: Number(sums.failed),
    promptTokens: Number(sums.promptTokens),
    completionTokens: Number(sums.completionTokens),
    totalTokens: Number(sums.promptTokens + sums.completionTokens),
    cachedTokens: Number(sums.cachedTokens),
    cacheWriteTokens: Number(sums.cacheWriteTokens),
    reasoningTokens: Number(sums.reasoningTokens),
    images: Number(sums.images),
    seconds: Number(sums.soundMs) / 1000,
    characters: Number(sums.characters),
    cacheHits: Number(sums.cacheHits),
    cost: Number(sums.cost),
    costUsd: formatUsd(sums.cost),
    ...(admin ? { providerCost: Number(sums.providerCost) } : {}),
    averageLatencyMs: average(sums.latencyMs, sums.requests),
    averageTtftMs: average(sums.firstByteMs, sums.firstByteCalls),
  };
}

export function addUp(all: readonly UsageTotals[]): UsageTotals {
  const totals: Record<keyof UsageTotals, bigint> = { ...noSums(), failed: 0n };
  const names = Object.keys(totals) as (keyof UsageTotals)[];
  for (const sums of all) for (const name of names) totals[name] += sums[name];
  return totals;
}

/** What a group is about, by id and by name. */
export function namedValues({ ...values }: UsageGroup["values"], names: NamedThings): Record<string, unknown> {
  const { organizationId, teamId, keyId, userId, operation, ...plain } = values;
  return {
    ...plain,
    ...(operation === undefined ? {} : { type: operation }),
    ...(organizationId === undefined
      ? {}
      : { organizationId, organizationName: names.organizations.get(String(organizationId)) ?? null }),
    ...(teamId === undefined ? {} : { teamId, teamName: names.teams.get(String(teamId)) ?? null }),
    ...(keyId === undefined ? {} : { apiKeyId: keyId, apiKeyName: names.keys.get(String(keyId))?.name ?? null }),
    ...(userId === undefined ? {} : { userId, userEmail: names.users.get(Number(userId))?.email ?? null }),
  };
}

const average = (sum: bigint, count: bigint): number | null =>
  count === 0n ? null : Math.round((Number(sum) / Number(count)) * 10) / 10;
