import { type CallUnits, NO_UNITS, type UsageRecord } from "../contract/usage.ts";

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
  return {
    ...record,
    ...unitsOf(record),
    keyName: clean(record.keyName, NAME_CHARS_MAX),
    endpoint: clean(record.endpoint, NAME_CHARS_MAX),
    requestedModel: clean(record.requestedModel, NAME_CHARS_MAX),
    model: cleanOrNull(record.model, NAME_CHARS_MAX),
    deploymentId: cleanOrNull(record.deploymentId, NAME_CHARS_MAX),
    provider: cleanOrNull(record.provider, NAME_CHARS_MAX),
    upstreamModel: cleanOrNull(record.upstreamModel, NAME_CHARS_MAX),
    upstreamId: cleanOrNull(record.upstreamId, NAME_CHARS_MAX),
    statusCode: count(record.statusCode),
    errorCode: cleanOrNull(record.errorCode, NAME_CHARS_MAX),
    latencyMs: count(record.latencyMs),
    firstByteMs: record.firstByteMs === null ? null : count(record.firstByteMs),
    address: cleanOrNull(record.address, NAME_CHARS_MAX),
    userAgent: cleanOrNull(record.userAgent, TEXT_CHARS_MAX),
    endUser: cleanOrNull(record.endUser, NAME_CHARS_MAX),
    tags: record.tags.map((tag) => clean(tag, NAME_CHARS_MAX)),
  };
}

function unitsOf(units: CallUnits): CallUnits {
  const names = Object.keys(NO_UNITS) as (keyof CallUnits)[];
  return Object.fromEntries(names.map((name) => [name, count(units[name])])) as unknown as CallUnits;
}

const count = (value: number): number =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(Math.round(value), 0), COUNT_MAX);

/** PostgreSQL has no zero character and no half of a pair. */
const clean = (text: string, charsMax: number): string =>
  text.slice(0, charsMax).toWellFormed().replaceAll("\u0000", "");

const cleanOrNull = (text: string | null, charsMax: number): string | null =>
  text === null ? null : clean(text, charsMax);
