import type { CallStatus, CallUnits, CountedCall } from "../contract/usage.ts";
import { count, keptName } from "../contract/usage-row.ts";

/** The offset of every time zone in use is a multiple of it, so quarters fold into the days of all of them. */
export const QUARTER_MS = 15 * 60 * 1000;

/** Of UTC. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** What calls are told apart by in the sums. Empty or 0 stands for what a call did not have. */
export interface RollupKey {
  /** The beginning of the quarter or the day, in milliseconds since 1970. */
  readonly at: number;
  readonly organizationId: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly userId: number;
  /** The group that served, or the model that its pattern stood for. What was refused before that has none: callers could make up names without end. */
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
export function rollupsOf(calls: readonly { readonly record: CountedCall }[]): readonly Rollup[] {
  const rows = new Rows();
  for (const { record } of calls) rows.of(record).add(record);
  return rows.sums();
}

/** The same by day of UTC. */
export const dailyOf = (rollups: readonly Rollup[]): readonly Rollup[] =>
  merged(
    rollups.map((rollup) => ({ ...rollup, at: dayOf(rollup.at) })),
    ({ at, organizationId, teamId, keyId, userId, model, provider, operation, status }) =>
      [at, organizationId, teamId, keyId, userId, model, provider, operation, status].join("\u0000"),
    (a, b) => {
      const sums = Object.fromEntries(SUMS.map((name) => [name, a[name] + b[name]])) as Record<Sum, bigint>;
      return { ...a, ...sums, lastAt: Math.max(a.lastAt, b.lastAt) };
    },
  );

/** What was spent ever, by who spent it. */
export interface OwnerTotal
  extends Pick<Rollup, "organizationId" | "teamId" | "keyId" | "userId" | "requests" | "cost" | "lastAt"> {}

/** What of it comes from these. */
export const ownerTotalsOf = (rollups: readonly Rollup[]): readonly OwnerTotal[] =>
  merged<OwnerTotal>(
    rollups,
    ({ organizationId, teamId, keyId, userId }) => [organizationId, teamId, keyId, userId].join("\u0000"),
    (a, b) => ({
      ...a,
      requests: a.requests + b.requests,
      cost: a.cost + b.cost,
      lastAt: Math.max(a.lastAt, b.lastAt),
    }),
  );

/** In the order of their names, which is the same in every process. */
function merged<T>(rows: readonly T[], nameOf: (row: T) => string, add: (a: T, b: T) => T): readonly T[] {
  const byName = new Map<string, T>();
  for (const row of rows) {
    const name = nameOf(row);
    const known = byName.get(name);
    byName.set(name, known === undefined ? row : add(known, row));
  }
  return [...byName].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row);
}

/** The call that came last of a key and model, and the row that it went to. */
interface Last {
  readonly record: CountedCall;
  readonly row: Row;
}

class Rows {
  private readonly byName = new Map<string, Row>();
  /** By key and model, of which nearly all calls go to one row: a name put together for each call took six times as long. */
  private readonly last = new Map<string, Map<string | null, Last>>();

  of(record: CountedCall): Row {
    let ofKey = this.last.get(record.keyId);
    const last = ofKey?.get(record.model);
    if (last !== undefined && isAlike(last.record, record)) return last.row;
    const row = this.named(record);
    if (ofKey === undefined) {
      ofKey = new Map();
      this.last.set(record.keyId, ofKey);
    }
    ofKey.set(record.model, { record, row });
    return row;
  }

  /** Two processes that update the same rows in two orders would wait for each other for ever. */
  sums(): readonly Rollup[] {
    return [...this.byName].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row.sum());
  }

  private named(record: CountedCall): Row {
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
    let row = this.byName.get(name);
    if (row === undefined) {
      row = new Row(keyOf(record, model, provider));
      this.byName.set(name, row);
    }
    return row;
  }
}

/** Of one key and model, whether both count for the same row. */
const isAlike = (a: CountedCall, b: CountedCall): boolean =>
  a.organizationId === b.organizationId &&
  a.teamId === b.teamId &&
  a.userId === b.userId &&
  a.provider === b.provider &&
  a.operation === b.operation &&
  a.status === b.status &&
  quarterOf(a.at) === quarterOf(b.at);

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

  add(record: CountedCall): void {
    const { counts } = this;
    counts.requests++;
    // Field by field: by their names it took four times as long.
    counts.promptTokens += count(record.promptTokens);
    counts.completionTokens += count(record.completionTokens);
    counts.cachedTokens += count(record.cachedTokens);
    counts.cacheWriteTokens += count(record.cacheWriteTokens);
    counts.cacheWrite1hTokens += count(record.cacheWrite1hTokens);
    counts.reasoningTokens += count(record.reasoningTokens);
    counts.audioInputTokens += count(record.audioInputTokens);
    counts.audioOutputTokens += count(record.audioOutputTokens);
    counts.images += count(record.images);
    counts.soundMs += count(record.soundMs);
    counts.characters += count(record.characters);
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

export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

const keyOf = (record: CountedCall, model: string, provider: string): RollupKey => ({
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
