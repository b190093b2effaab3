import type { UsageRecord } from "../contract/usage.ts";

/** What a 32-bit column holds; no true count comes near it. */
const COUNT_MAX = 2 ** 31 - 1;
/** Names end up in keys of tables, whose length is bounded. */
const NAME_CHARS_MAX = 256;
const TEXT_CHARS_MAX = 1024;

/**
 * The record as every database takes it. Upstreams and callers have a say in what stands in it, and one row that is
 * refused would hold up all that are settled with it. The cost is never touched.
 */
export function storable(record: UsageRecord): UsageRecord {
  // Written out: as a copy with changes it took a quarter of all that settling a call costs the main thread.
  return {
    id: record.id,
    at: record.at,
    organizationId: record.organizationId,
    teamId: record.teamId,
    keyId: record.keyId,
    keyName: clean(record.keyName, NAME_CHARS_MAX),
    userId: record.userId,
    operation: record.operation,
    endpoint: clean(record.endpoint, NAME_CHARS_MAX),
    requestedModel: clean(record.requestedModel, NAME_CHARS_MAX),
    model: cleanOrNull(record.model, NAME_CHARS_MAX),
    deploymentId: cleanOrNull(record.deploymentId, NAME_CHARS_MAX),
    provider: cleanOrNull(record.provider, NAME_CHARS_MAX),
    upstreamModel: cleanOrNull(record.upstreamModel, NAME_CHARS_MAX),
    upstreamId: cleanOrNull(record.upstreamId, NAME_CHARS_MAX),
    status: record.status,
    statusCode: count(record.statusCode),
    errorCode: cleanOrNull(record.errorCode, NAME_CHARS_MAX),
    stream: record.stream,
    cacheHit: record.cacheHit,
    promptTokens: count(record.promptTokens),
    completionTokens: count(record.completionTokens),
    cachedTokens: count(record.cachedTokens),
    cacheWriteTokens: count(record.cacheWriteTokens),
    cacheWrite1hTokens: count(record.cacheWrite1hTokens),
    reasoningTokens: count(record.reasoningTokens),
    audioInputTokens: count(record.audioInputTokens),
    audioOutputTokens: count(record.audioOutputTokens),
    images: count(record.images),
    soundMs: count(record.soundMs),
    characters: count(record.characters),
    cost: record.cost,
    providerCost: record.providerCost,
    costParts: record.costParts,
    estimated: record.estimated,
    priceVersion: record.priceVersion,
    latencyMs: count(record.latencyMs),
    firstByteMs: record.firstByteMs === null ? null : count(record.firstByteMs),
    attempts: record.attempts,
    address: cleanOrNull(record.address, NAME_CHARS_MAX),
    userAgent: cleanOrNull(record.userAgent, TEXT_CHARS_MAX),
    endUser: cleanOrNull(record.endUser, NAME_CHARS_MAX),
    tags: record.tags.length === 0 ? record.tags : record.tags.map((tag) => clean(tag, NAME_CHARS_MAX)),
    metadata: record.metadata,
  };
}

const count = (value: number): number =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(Math.round(value), 0), COUNT_MAX);

/** PostgreSQL has no zero character and no half of a pair. */
function clean(text: string, charsMax: number): string {
  const short = text.length > charsMax ? text.slice(0, charsMax) : text;
  const whole = short.isWellFormed() ? short : short.toWellFormed();
  return whole.includes("\u0000") ? whole.replaceAll("\u0000", "") : whole;
}

const cleanOrNull = (text: string | null, charsMax: number): string | null =>
  text === null ? null : clean(text, charsMax);
