import type { CallStatus } from "../../contract/usage.ts";
import type { LogFilterQuery, SpanQuery, TagQuery, UsageQuery } from "../../contract/usage-query.ts";
import type { TimeZone } from "../../lib/time-zone.ts";
import { readEnd, readStart, requireTimeZone } from "../../usage/date-range.ts";
import type { LogFilter, SumFilter } from "../../usage/store.ts";
import type { Whose } from "./whose-calls.ts";

const FAILURES: readonly CallStatus[] = ["rejected", "failed", "partial", "aborted"];

export function readLogFilter({ scope, timezone }: Whose, query: LogFilterQuery): LogFilter {
  const { start, end } = readSpan(query, requireTimeZone(query.tz || timezone));
  const minCost = query.minCost ?? query.min_cost;
  const endUser = query.endUser || query.end_user;
  const id = query.requestId || query.request_id;
  return {
    ...readSumFilter(scope, query),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(id ? { id } : {}),
    ...(minCost === undefined ? {} : { minCost: BigInt(minCost) }),
    ...(query.maxCost === undefined ? {} : { maxCost: BigInt(query.maxCost) }),
    ...(query.stream === undefined ? {} : { stream: query.stream }),
    ...(endUser ? { endUser } : {}),
    ...(query.tag ? { tag: query.tag } : {}),
  };
}

export function readSumFilter(scope: Whose["scope"], query: LogFilterQuery | UsageQuery | TagQuery): SumFilter {
  const { model, provider, type, status } = query;
  return {
    ...scope,
    ...(model ? { model } : {}),
    ...(provider ? { provider } : {}),
    ...(type ? { operation: type } : {}),
    ...(status === undefined ? {} : { statuses: statusesOf(status) }),
  };
}

export function readSpan(query: SpanQuery, zone: TimeZone) {
  const from = query.startDate || query.start_date || query.from;
  const to = query.endDate || query.end_date || query.to;
  return { start: from ? readStart(from, zone) : undefined, end: to ? readEnd(to, zone) : undefined };
}

function statusesOf(status: CallStatus | "success" | "failure"): readonly CallStatus[] {
  if (status === "success") return ["succeeded"];
  return status === "failure" ? FAILURES : [status];
}
