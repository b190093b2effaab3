import { isRecord, recordIn } from "../lib/json.ts";
import type { UpstreamFailure } from "./dialect.ts";

/** What callers and our own router can act on. Upstreams also send words, negative numbers and numbers without end. */
const NUMBER = /^\d{1,30}(?:\.\d{1,9})?$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Limits that say beside one another how much of them is left, and when there will be more. */
const LIMITS = [
  ...["requests", "tokens"].map((unit) => [`x-ratelimit-remaining-${unit}`, `x-ratelimit-reset-${unit}`] as const),
  ...["requests", "tokens", "input-tokens", "output-tokens"].map(
    (unit) => [`anthropic-ratelimit-${unit}-remaining`, `anthropic-ratelimit-${unit}-reset`] as const,
  ),
];

/** When to come back, as an upstream says it that failed, in the headers that our callers know; none where it does not. */
export function waitHeaders({ status, headers, body }: UpstreamFailure): Record<string, string> {
  const told: Record<string, string> = {};
  const after = headers.get("retry-after") ?? "";
  const afterMs = headers.get("retry-after-ms") ?? "";
  if (NUMBER.test(after)) told["retry-after"] = atMost(after, SECONDS_MAX);
  else if (HTTP_DATE.test(after)) told["retry-after"] = after;
  if (NUMBER.test(afterMs)) told["retry-after-ms"] = atMost(afterMs, SECONDS_MAX * 1000);
  if (Object.keys(told).length > 0 || (status !== 429 && status !== 503)) return told;
  const wait = googleDelay(body) ?? spentLimit(headers);
  return wait === null ? told : { "retry-after": wait };
}

/** As it was written, unless nobody would wait that long. */
const atMost = (text: string, most: number): string => (Number(text) <= most ? text : `${most}`);

/** Google has no header for it: `{"@type": "…google.rpc.RetryInfo", "retryDelay": "38.5s"}` stands among the error's details. */
function googleDelay(body: string): string | null {
  if (!body.includes("google.rpc.RetryInfo")) return null;
  // A stream's failure comes in a list of one.
  const only = recordIn(body.replace(/^\s*\[|\]\s*$/g, ""));
  const error = isRecord(only?.error) ? only.error : {};
  const details: unknown[] = Array.isArray(error.details) ? error.details : [];
  for (const detail of details) {
    if (isRecord(detail) && typeof detail.retryDelay === "string") return secondsOf(detail.retryDelay);
  }
  return null;
}

/** The last of those that were reached; one of which something is left says nothing about this call. */
function spentLimit(headers: Headers): string | null {
  let longest: string | null = null;
  for (const [left, reset] of LIMITS) {
    const wait = headers.get(left) === "0" ? secondsOf(headers.get(reset) ?? "") : null;
    if (wait !== null && (longest === null || lengthMs(wait) > lengthMs(longest))) longest = wait;
  }
  return longest;
}

const lengthMs = (wait: string): number => (/^\d+$/.test(wait) ? Number(wait) * 1000 : Date.parse(wait) - Date.now());

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };
const SECONDS_MAX = 24 * 3600;

/** `12`, `38.5s`, `6m0s`, `120ms` or a time of day, as whole seconds or a date. */
function secondsOf(text: string): string | null {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text)) {
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? null : date.toUTCString();
  }
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$|^\d+(?:\.\d+)?$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit = "s"] of text.matchAll(/([\d.]+)(ms|h|m|s)?/g)) {
    seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  }
  return seconds <= SECONDS_MAX ? `${Math.ceil(seconds)}` : null;
}
