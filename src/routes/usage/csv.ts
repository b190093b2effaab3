import type { CallRecord } from "../../contract/usage-records.ts";
import { type CsvCell, csvLine } from "../../lib/csv.ts";
import type { LoggedCall } from "../../usage/store.ts";
import { callRecord } from "./call-record.ts";

const COLUMNS = [
  "id",
  "createdAt",
  "organizationId",
  "teamId",
  "teamName",
  "userId",
  "apiKeyId",
  "apiKeyName",
  "model",
  "requestedModel",
  "provider",
  "endpoint",
  "type",
  "status",
  "statusCode",
  "errorCode",
  "stream",
  "promptTokens",
  "completionTokens",
  "totalTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "images",
  "seconds",
  "characters",
  "cost",
  "costUsd",
  "estimated",
  "latencyMs",
  "ttftMs",
  "upstreamId",
  "cacheHit",
  "ip",
  "userAgent",
  "endUser",
  "tags",
  "metadata",
  "priceVersionId",
  "journalId",
] as const satisfies readonly (keyof CallRecord)[];

export const CSV_HEADER = csvLine(COLUMNS);

export function usageLine(call: LoggedCall): string {
  const record = callRecord(call);
  return csvLine(COLUMNS.map((column) => cellOf(record[column])));
}

/** Callers choose some of these texts; a list or an object is its JSON. */
export function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined) return null;
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value);
}
