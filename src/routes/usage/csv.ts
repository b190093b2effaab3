import type { CallRecord } from "../../contract/usage-records.ts";
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

export const CSV_HEADER = `${COLUMNS.join(",")}\r\n`;

export function csvLine(call: LoggedCall): string {
  const record = callRecord(call);
  return `${COLUMNS.map((column) => csvCell(record[column])).join(",")}\r\n`;
}

/**
 * A text that begins like a formula gets an apostrophe before it: callers choose some of these texts, and a spreadsheet would
 * run what they wrote.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[\s]*[=+\-@＝＋－＠\t\r\n|%]/.test(text) ? `'${text}` : text;
  return /[",\r\n\t;]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}
