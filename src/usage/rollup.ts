import type { CallStatus, CallUnits, UsageRecord } from "../contract/usage.ts";

/** The offset of every time zone in use is a multiple of it, so quarters fold into the days of all of them. */
export const QUARTER_MS = 15 * 60 * 1000;

/** What calls are told apart by in the sums. Empty or 0 stands for what a call did not have. */
export interface RollupKey {
  /** The beginning of the quarter, in milliseconds since 1970. */
  readonly at: number;
  readonly organizationId: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly userId: number;
  /** The group that served. What was refused before that has none: callers could make up names without end. */
  readonly model: string;
  readonly provider: string;
  readonly operation: string;
  readonly status: CallStatus;
}

/** Everything that a call is counted by. */
export const UNITS = [
  "promptTokens",
  "completionTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "reasoningTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "images",
  "soundMs",
  "characters",
] as const satisfies readonly (keyof CallUnits)[];

/** What is summed up. */
export const SUMS = [
  "requests",
  ...UNITS,
  "cost",
  "providerCost",
  "cacheHits",
  "latencyMs",
  "firstByteMs",
  "firstByteCalls",
] as const;
export type Sum = (typeof SUMS)[number];
export type UsageSums = Readonly<Record<Sum, bigint>>;

export interface Rollup extends RollupKey, UsageSums {
  /** When the last of the calls came in. */
  readonly lastAt: number;
}

/** One row for each quarter and kind of call, in an order that is the same in every process. */
export function rollupsOf(records: readonly UsageRecord[]): readonly Rollup[] {
  const found = new Map<string, { key: RollupKey; sums: Record<Sum, bigint>; lastAt: number }>();
  for (const record of records) {
    const key = keyOf(record);
    const name = Object.values(key).join("\u0000");
    const row = found.get(name) ?? { key, sums: noSums(), lastAt: record.at };
    addCall(row.sums, record);
    row.lastAt = Math.max(row.lastAt, record.at);
    found.set(name, row);
  }
  // Two processes that update the same rows in two orders would wait for each other for ever.
  return [...found.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { key, sums, lastAt }]) => ({ ...key, ...sums, lastAt }));
}

export const noSums = (): Record<Sum, bigint> =>
  Object.fromEntries(SUMS.map((name) => [name, 0n])) as Record<Sum, bigint>;

export const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS;

const keyOf = (record: UsageRecord): RollupKey => ({
  at: quarterOf(record.at),
  organizationId: record.organizationId ?? "",
  teamId: record.teamId ?? "",
  keyId: record.keyId,
  userId: record.userId ?? 0,
  model: record.model ?? "",
  provider: record.provider ?? "",
  operation: record.operation,
  status: record.status,
});

function addCall(sums: Record<Sum, bigint>, record: UsageRecord): void {
  sums.requests += 1n;
  for (const unit of UNITS) sums[unit] += BigInt(record[unit]);
  sums.cost += record.cost;
  sums.providerCost += record.providerCost;
  if (record.cacheHit) sums.cacheHits += 1n;
  sums.latencyMs += BigInt(record.latencyMs);
  if (record.firstByteMs === null) return;
  sums.firstByteMs += BigInt(record.firstByteMs);
  sums.firstByteCalls += 1n;
}
