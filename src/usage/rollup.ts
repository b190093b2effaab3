import type { CallStatus, CallUnits, UsageRecord } from "../contract/usage.ts";
import { count, keptName } from "../contract/usage-row.ts";

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
type Count = Exclude<Sum, "cost" | "providerCost">;
const COUNTS = SUMS.filter((name): name is Count => name !== "cost" && name !== "providerCost");
export type UsageSums = Readonly<Record<Sum, bigint>>;

export interface Rollup extends RollupKey, UsageSums {
  /** When the last of the calls came in. */
  readonly lastAt: number;
}

/** One row for each quarter and kind of call, in an order that is the same in every process. */
export function rollupsOf(records: readonly UsageRecord[]): readonly Rollup[] {
  const found = new Map<string, Row>();
  for (const record of records) {
    const model = keptName(record.model ?? "");
    const provider = keptName(record.provider ?? "");
    const name = [
      quarterOf(record.at),
      record.organizationId,
      record.teamId,
      record.keyId,
      record.userId,
      model,
      provider,
      record.operation,
      record.status,
    ].join("\u0000");
    const row = found.get(name) ?? new Row(keyOf(record, model, provider));
    row.add(record);
    found.set(name, row);
  }
  // Two processes that update the same rows in two orders would wait for each other for ever.
  return [...found.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row.sum());
}

/** Counts are added as numbers: as bigints they took three times as long, and no batch comes near what a number holds. */
class Row {
  private readonly counts: Record<Count, number> = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<
    Count,
    number
  >;
  private cost = 0n;
  private providerCost = 0n;
  private lastAt = 0;

  constructor(private readonly key: RollupKey) {}

  add(record: UsageRecord): void {
    const { counts } = this;
    counts.requests++;
    for (const unit of UNITS) counts[unit] += count(record[unit]);
    if (record.cacheHit) counts.cacheHits++;
    counts.latencyMs += count(record.latencyMs);
    if (record.firstByteMs !== null) {
      counts.firstByteMs += count(record.firstByteMs);
      counts.firstByteCalls++;
    }
    this.cost += record.cost;
    this.providerCost += record.providerCost;
    this.lastAt = Math.max(this.lastAt, record.at);
  }

  sum(): Rollup {
    const { key, counts, cost, providerCost, lastAt } = this;
    const sums = Object.fromEntries(COUNTS.map((name) => [name, BigInt(counts[name])])) as Record<Count, bigint>;
    return { ...key, ...sums, cost, providerCost, lastAt };
  }
}

export const noSums = (): Record<Sum, bigint> =>
  Object.fromEntries(SUMS.map((name) => [name, 0n])) as Record<Sum, bigint>;

export const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS;

const keyOf = (record: UsageRecord, model: string, provider: string): RollupKey => ({
  at: quarterOf(record.at),
  organizationId: record.organizationId ?? "",
  teamId: record.teamId ?? "",
  keyId: record.keyId,
  userId: record.userId ?? 0,
  model,
  provider,
  operation: record.operation,
  status: record.status,
});
