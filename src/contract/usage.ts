import type { LoggedOperation } from "./params.ts";

/**
 * How a call ended. `rejected`: refused before anything was sent; `failed`: the upstream failed before the first byte, free;
 * `cancelled`: the client left; `partial`: the upstream broke off in mid-answer; `aborted`: this process ended first.
 */
export const CALL_STATUSES = ["succeeded", "rejected", "failed", "cancelled", "partial", "aborted"] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** Whose call it is, as the books know it. The master key's calls belong to no organization and are not charged. */
export interface CallOwner {
  readonly organizationId: string | null;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly keyName: string;
  /** Who made the key. */
  readonly userId: number | null;
}

/** What a call used, normalised: `prompt` includes the cached and the written, `completion` the reasoned. */
export interface CallUnits {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly reasoningTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
  readonly images: number;
  /** Of sound, heard or spoken, in thousandths of a second. */
  readonly soundMs: number;
  readonly characters: number;
}

/** What a call is charged by. What is beside the units stands in the record as a part of the cost, with how much there was of it. */
export interface ChargedUnits extends CallUnits {
  /** Of pictures that were given, and of those that were drawn, which some prices tell from text. */
  readonly imageInputTokens?: number;
  readonly imageOutputTokens?: number;
  /** Of what a cache had, the sound. */
  readonly cachedAudioTokens?: number;
  /** Units of search that a reranking call counts as (default 1); a price per request is for one of them. */
  readonly searchUnits?: number;
}

/** One part of a price: so many units at so many femto-USD, and what of the call's whole cost falls to it. */
export interface CostPart {
  readonly component: string;
  /** In thousandths of the unit, so that parts of a second are exact. */
  readonly thousandths: bigint;
  readonly femtoUsd: bigint;
  readonly nanoUsd: bigint;
}

/** One try at one deployment. */
export interface CallAttempt {
  readonly deploymentId: string;
  readonly provider: string;
  readonly statusCode: number;
  /** The kind of the error, where it failed. */
  readonly error: string | null;
  readonly latencyMs: number;
}

/** One logical call, however many attempts it took. Written once, charged once, by its id. */
export interface UsageRecord extends CallOwner, CallUnits {
  readonly id: string;
  /** When it came in, in milliseconds since 1970. */
  readonly at: number;
  readonly operation: LoggedOperation;
  /** The path that was called. */
  readonly endpoint: string;
  readonly requestedModel: string;
  /** The group that served it, or the model that its pattern stood for, and where. Null for what was refused before a deployment was chosen. */
  readonly model: string | null;
  readonly deploymentId: string | null;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  /** What the upstream calls its answer. */
  readonly upstreamId: string | null;
  readonly status: CallStatus;
  readonly statusCode: number;
  readonly errorCode: string | null;
  readonly stream: boolean;
  readonly cacheHit: boolean;
  /** In nano-USD. */
  readonly cost: bigint;
  /** What the provider asks for it, before any mark-up. */
  readonly providerCost: bigint;
  readonly costParts: readonly CostPart[];
  /** The usage was not told by the upstream, wholly or in part. */
  readonly estimated: boolean;
  /** Names the price list that was used; null where the call was free of any. */
  readonly priceVersion: string | null;
  readonly latencyMs: number;
  /** To the first byte of the answer. */
  readonly firstByteMs: number | null;
  readonly attempts: readonly CallAttempt[];
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly endUser: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What sums and books take of a record. */
export type CountedCall = CallUnits &
  Pick<
    UsageRecord,
    | "id"
    | "at"
    | "organizationId"
    | "teamId"
    | "keyId"
    | "userId"
    | "endUser"
    | "operation"
    | "model"
    | "provider"
    | "status"
    | "cacheHit"
    | "cost"
    | "providerCost"
    | "latencyMs"
    | "firstByteMs"
  >;

export const countedOf = (record: UsageRecord): CountedCall => ({
  id: record.id,
  at: record.at,
  organizationId: record.organizationId,
  teamId: record.teamId,
  keyId: record.keyId,
  userId: record.userId,
  endUser: record.endUser,
  operation: record.operation,
  model: record.model,
  provider: record.provider,
  status: record.status,
  cacheHit: record.cacheHit,
  promptTokens: record.promptTokens,
  completionTokens: record.completionTokens,
  cachedTokens: record.cachedTokens,
  cacheWriteTokens: record.cacheWriteTokens,
  cacheWrite1hTokens: record.cacheWrite1hTokens,
  reasoningTokens: record.reasoningTokens,
  audioInputTokens: record.audioInputTokens,
  audioOutputTokens: record.audioOutputTokens,
  images: record.images,
  soundMs: record.soundMs,
  characters: record.characters,
  cost: record.cost,
  providerCost: record.providerCost,
  latencyMs: record.latencyMs,
  firstByteMs: record.firstByteMs,
});

export const NO_UNITS: CallUnits = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
  images: 0,
  soundMs: 0,
  characters: 0,
};
