import type { CallStatus, UsageRecord } from "../contract/usage.ts";
import type { TimeRange } from "./buckets.ts";
import type { UsageSums } from "./rollup.ts";

/** What an organization that stores prompts keeps of a call, as JSON text. */
export interface CallContents {
  readonly id: string;
  readonly request: string | null;
  readonly response: string | null;
}

/** A price list that calls were charged by, as canonical JSON, so that each charge can be computed again. */
export interface PriceVersion {
  readonly id: string;
  readonly prices: string;
  readonly firstSeenAt: number;
}

/** A call as the log has it. */
export interface LoggedCall extends UsageRecord {
  /** As the team was called when the call was settled. */
  readonly teamName: string | null;
  readonly entryId: string | null;
}

/** Whose calls. A field that is left out does not narrow anything. */
export interface UsageScope {
  readonly organizationId?: string;
  /** Calls of these teams only; none of them, no calls. */
  readonly teamIds?: readonly string[];
  readonly keyId?: string;
  readonly userId?: number;
}

/** What is told apart in the sums. */
export interface SumFilter extends UsageScope {
  readonly organizationIds?: readonly string[];
  readonly model?: string;
  readonly provider?: string;
  readonly operation?: string;
  readonly statuses?: readonly CallStatus[];
}

export interface LogFilter extends SumFilter {
  readonly start?: number;
  readonly end?: number;
  readonly id?: string;
  readonly minCost?: bigint;
  readonly maxCost?: bigint;
  readonly stream?: boolean;
  readonly endUser?: string;
  /** Calls for one of these; null: for anybody who is named. */
  readonly endUsers?: readonly string[] | null;
  readonly tag?: string;
}

/** The call after which a list goes on. */
export interface LogCursor {
  readonly at: number;
  readonly id: string;
}

export interface LogSlice {
  readonly order: "newest" | "oldest";
  readonly limit: number;
  readonly after?: LogCursor | null;
  readonly offset?: number;
}

/** What sums can be told apart by. */
export const DIMENSIONS = [
  "organizationId",
  "teamId",
  "keyId",
  "userId",
  "model",
  "provider",
  "operation",
  "status",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** What only the log tells apart, since callers can make up as many as they like or the sums do not keep it. */
export const LOG_DIMENSIONS = ["endpoint", "tag", "endUser"] as const;
export type LogDimension = (typeof LOG_DIMENSIONS)[number];

/** Sums of the calls that are alike. What is not asked for is missing; null stands for calls that have none. */
export interface UsageGroup {
  /** The beginning of its bucket. */
  readonly start: number;
  readonly values: Readonly<Partial<Record<Dimension | LogDimension, string | number | null>>>;
  readonly sums: UsageTotals;
}

export interface UsageTotals extends UsageSums {
  /** Of the requests, those that ended badly, and not because the caller left. */
  readonly failed: bigint;
}

/** The sums of calls that carry one tag, or are for one end user. */
export interface TextSum {
  readonly text: string;
  readonly requests: bigint;
  readonly cost: bigint;
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
}

export interface NamedThings {
  readonly teams: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, { readonly name: string; readonly handle: string | null }>;
  readonly users: ReadonlyMap<number, { readonly externalId: string | null; readonly email: string | null }>;
  readonly organizations: ReadonlyMap<string, string>;
}

export interface Spend {
  readonly cost: bigint;
  readonly requests: bigint;
  readonly lastAt: number | null;
}

/** Who spends. */
export type OwnerDimension = Extract<Dimension, "organizationId" | "teamId" | "keyId" | "userId">;

export interface OwnerSpend {
  readonly values: UsageGroup["values"];
  readonly cost: bigint;
}

/** Whose spending is told further on when its calls leave the log, and from when on. */
export interface KeptSpend {
  readonly startMs: number;
  readonly deployments: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
}

/** The record of every call. `storage/` implements it; everything may throw `database`. */
export interface UsageStore {
  /** Log and sums in one transaction; what is there already is left as it is. Gives the ids that are new. */
  record(calls: readonly UsageRecord[]): Promise<ReadonlySet<string>>;
  find(id: string): Promise<LoggedCall | null>;
  /** The newest call whose answer has one of these ids at its upstream, among the newest `among` of a scope: no index has them. */
  findAnswered(scope: UsageScope, upstreamIds: readonly string[], among: number): Promise<LoggedCall | null>;
  list(filter: LogFilter, slice: LogSlice): Promise<readonly LoggedCall[]>;
  count(filter: LogFilter): Promise<number>;
  /** Sums by bucket and by what is asked for, the earliest bucket first. Buckets follow each other and cut at quarters. */
  sum(filter: SumFilter, buckets: readonly TimeRange[], by: readonly Dimension[]): Promise<readonly UsageGroup[]>;
  /**
   * The same from the log, as far as it goes back, and so also by what the sums do not have. A call with two tags counts
   * for both of them.
   */
  sumLog(
    filter: SumFilter & Pick<LogFilter, "endUsers">,
    buckets: readonly TimeRange[],
    by: readonly (Dimension | LogDimension)[],
  ): Promise<readonly UsageGroup[]>;
  /** By tag or by end user, the dearest thousand first; a call with two tags counts for both. As far as the log goes back. */
  sumTexts(filter: LogFilter, what: "tag" | "endUser"): Promise<readonly TextSum[]>;
  /** Whether there was ever a call, also when the log has forgotten it. */
  hasCalls(scope: UsageScope): Promise<boolean>;
  spendOf(scope: UsageScope): Promise<Spend>;
  /** Of many keys at once: those without calls are missing. */
  spendOfKeys(keyIds: readonly string[]): Promise<ReadonlyMap<string, Spend>>;
  /** The same of teams. */
  spendOfTeams(teamIds: readonly string[]): Promise<ReadonlyMap<string, Spend>>;
  /** What was ever spent, by who spent it, the dearest first. */
  spendBy(by: readonly OwnerDimension[], limit?: number): Promise<readonly OwnerSpend[]>;
  /** What providers charged in a time that cuts at quarters, by provider, deployment or tag; those without calls are missing. */
  providerCosts(
    by: "provider" | "deployment" | "tag",
    names: readonly string[],
    range: TimeRange,
  ): Promise<ReadonlyMap<string, bigint>>;
  /** The names of what groups are about, also of what is gone, as long as the log knows it. */
  namesOf(groups: readonly Pick<UsageGroup, "values">[]): Promise<NamedThings>;
  findContents(id: string): Promise<CallContents | null>;
  saveContents(contents: CallContents): Promise<void>;
  findPrices(id: string): Promise<PriceVersion | null>;
  savePrices(version: PriceVersion): Promise<void>;
  /**
   * Takes up to `limit` calls from before `end` out of the log, with their contents; sums stay, and so does what `providerCosts`
   * tells of those that are named. Gives how many.
   */
  removeBefore(end: number, organizationId: string | null, limit: number, kept?: KeptSpend): Promise<number>;
  /** The organizations that keep their calls for a time of their own. */
  listRetentions(): Promise<readonly { readonly organizationId: string; readonly days: number }[]>;
}
