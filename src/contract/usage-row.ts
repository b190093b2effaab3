import type { CallAttempt, CostPart, UsageRecord } from "./usage.ts";

/** The fields of a record in the order of its row. */
export const ROW_FIELDS = [
  "id",
  "at",
  "organizationId",
  "teamId",
  "keyId",
  "keyName",
  "userId",
  "operation",
  "endpoint",
  "requestedModel",
  "model",
  "deploymentId",
  "provider",
  "upstreamModel",
  "upstreamId",
  "status",
  "statusCode",
  "errorCode",
  "stream",
  "cacheHit",
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
  "cost",
  "providerCost",
  "costParts",
  "estimated",
  "priceVersion",
  "latencyMs",
  "firstByteMs",
  "attempts",
  "address",
  "userAgent",
  "endUser",
  "tags",
  "metadata",
] as const satisfies readonly (keyof UsageRecord)[];

/** What a 32-bit column holds; no true count comes near it. */
const COUNT_MAX = 2 ** 31 - 1;
/** Names end up in keys of tables, whose length is bounded. */
export const NAME_CHARS_MAX = 256;
const TEXT_CHARS_MAX = 1024;
/** A zero character, or half of a pair, as JSON writes them: PostgreSQL keeps neither. */
const UNKEPT = /\\u0000|\\ud[89a-f]/;

/**
 * A record as one JSON list, as the journal has it and as the log takes it: written out once for each call. Upstreams and
 * callers have a say in what stands in it, and one row that a database refuses would hold up all that are settled with it.
 * The cost is never touched.
 */
export function usageRow(record: UsageRecord): string {
  const text = JSON.stringify(rowValues(record));
  // One look at the whole: at each of its texts it took a tenth of all that a call costs.
  return UNKEPT.test(text) ? JSON.stringify(keptValues(record)) : text;
}

/** The values of a row, as every database takes them; amounts are texts, since JSON has no 64-bit integers. */
function keptValues(record: UsageRecord): unknown[] {
  const tags = record.tags.map(keptName);
  return rowValues({ ...record, tags }).map((value) => (typeof value === "string" ? clean(value) : value));
}

function rowValues(record: UsageRecord): unknown[] {
  return [
    record.id,
    record.at,
    record.organizationId,
    record.teamId,
    record.keyId,
    short(record.keyName),
    record.userId,
    record.operation,
    short(record.endpoint),
    short(record.requestedModel),
    shortOrNull(record.model),
    shortOrNull(record.deploymentId),
    shortOrNull(record.provider),
    shortOrNull(record.upstreamModel),
    shortOrNull(record.upstreamId),
    record.status,
    count(record.statusCode),
    shortOrNull(record.errorCode),
    record.stream,
    record.cacheHit,
    count(record.promptTokens),
    count(record.completionTokens),
    count(record.cachedTokens),
    count(record.cacheWriteTokens),
    count(record.cacheWrite1hTokens),
    count(record.reasoningTokens),
    count(record.audioInputTokens),
    count(record.audioOutputTokens),
    count(record.images),
    count(record.soundMs),
    count(record.characters),
    record.cost.toString(),
    record.providerCost.toString(),
    partsText(record.costParts),
    record.estimated,
    record.priceVersion,
    count(record.latencyMs),
    record.firstByteMs === null ? null : count(record.firstByteMs),
    record.attempts.length === 0 ? "[]" : JSON.stringify(record.attempts),
    shortOrNull(record.address),
    record.userAgent === null ? null : record.userAgent.slice(0, TEXT_CHARS_MAX),
    shortOrNull(record.endUser),
    record.tags.length === 0 ? "[]" : JSON.stringify(record.tags.map(short)),
    JSON.stringify(record.metadata),
  ];
}

/** The record of a row. Throws on what is none. */
export function readUsageRow(values: readonly unknown[]): UsageRecord {
  if (values.length !== ROW_FIELDS.length) throw new TypeError("a usage record has another number of values");
  const fields: Record<string, unknown> = {};
  for (const [index, name] of ROW_FIELDS.entries()) fields[name] = values[index];
  return {
    ...(fields as unknown as UsageRecord),
    cost: BigInt(fields.cost as string),
    providerCost: BigInt(fields.providerCost as string),
    costParts: readParts(fields.costParts as string),
    attempts: JSON.parse(fields.attempts as string) as CallAttempt[],
    tags: JSON.parse(fields.tags as string) as string[],
    metadata: JSON.parse(fields.metadata as string) as Record<string, unknown>,
  };
}

/** Components are names of ours, and need no quoting. */
function partsText(parts: readonly CostPart[]): string {
  let text = "[";
  for (const { component, thousandths, femtoUsd, nanoUsd } of parts) {
    const begun = text.length === 1 ? "" : ",";
    text += `${begun}{"component":"${component}","thousandths":"${thousandths}","femtoUsd":"${femtoUsd}","nanoUsd":"${nanoUsd}"}`;
  }
  return `${text}]`;
}

export const readParts = (text: string): CostPart[] =>
  (JSON.parse(text) as Readonly<Record<keyof CostPart, string>>[]).map((part) => ({
    component: part.component,
    thousandths: BigInt(part.thousandths),
    femtoUsd: BigInt(part.femtoUsd),
    nanoUsd: BigInt(part.nanoUsd),
  }));

/** Zero for what is no number, such as one that a journal does not have. */
export const count = (value: number): number => (value > 0 ? Math.min(Math.round(value), COUNT_MAX) : 0);

const short = (text: string): string => (text.length > NAME_CHARS_MAX ? text.slice(0, NAME_CHARS_MAX) : text);
const shortOrNull = (text: string | null): string | null => (text === null ? null : short(text));

/** A name as a row has it. */
export const keptName = (text: string): string => clean(short(text));

const clean = (text: string): string => text.toWellFormed().replaceAll("\0", "");
