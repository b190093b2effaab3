import { paged, pageOf } from "../../contract/paging.ts";
import { sortingOf } from "../../contract/sorting.ts";
import { AdminLogQuery, LogQuery } from "../../contract/usage-query.ts";
import { CallList, type CallRecord } from "../../contract/usage-records.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { readCursor, writeCursor } from "../../usage/cursor.ts";
import type { LogFilter, LoggedCall, LogSlice } from "../../usage/store.ts";
import { adminCallRecord, callRecord } from "./call-record.ts";
import { readLogFilter } from "./read-filter.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";
import { allCalls, ownCalls, requireNamedCall } from "./whose-calls.ts";

const NEWEST_FIRST = { by: "createdAt", direction: "desc" } as const;

export const listLogs = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/logs"],
    tag: "Usage",
    summary: "List calls",
    description:
      "One row for each call, however many attempts it took; the newest first unless told. Members see the calls of their teams. " +
      "Without `cursor` the answer counts all calls; with it (empty for the first page) it only goes on.",
    auth: "session",
    scope: "usage:read",
    query: LogQuery,
    success: CallList,
    errors: ["not_found", "invalid_request"],
    async handle({ caller, query, request }) {
      const whose = await ownCalls(deps, caller, request, query);
      await requireNamedCall(deps, whose, query);
      return json(await pageOfCalls(deps, readLogFilter(whose, query), query, callRecord));
    },
  });

export const adminListLogs = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/admin/logs"],
    tag: "Administration",
    summary: "List the calls of all organizations",
    auth: "admin",
    query: AdminLogQuery,
    success: CallList,
    errors: ["invalid_request"],
    async handle({ query }) {
      const filter = readLogFilter(await allCalls(deps, query), query);
      return json(await pageOfCalls(deps, filter, query, adminCallRecord));
    },
  });

async function pageOfCalls(
  { usage }: UsageRouteDeps,
  filter: LogFilter,
  query: LogQuery,
  show: (call: LoggedCall) => CallRecord,
) {
  const page = pageOf(query);
  const { pageSize } = page;
  const order = sortingOf(query, NEWEST_FIRST).direction === "asc" ? "oldest" : "newest";
  if (query.cursor !== undefined) {
    const calls = await usage.list(filter, { order, limit: pageSize, after: readCursor(query.cursor, order) });
    return { data: calls.map(show), meta: { pageSize, nextCursor: nextOf(calls, order, pageSize) } };
  }
  const offset = (page.page - 1) * pageSize;
  const total = await usage.count(filter);
  const calls = offset >= total ? [] : await usage.list(filter, { order, limit: pageSize, offset });
  const { data, meta } = paged(calls.map(show), page, total);
  return { data, meta: { ...meta, nextCursor: offset + pageSize < total ? nextOf(calls, order, pageSize) : null } };
}

function nextOf(calls: readonly LoggedCall[], order: LogSlice["order"], pageSize: number): string | null {
  const last = calls.at(-1);
  return last === undefined || calls.length < pageSize ? null : writeCursor(last, order);
}
