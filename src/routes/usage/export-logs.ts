import { ExportQuery } from "../../contract/usage-query.ts";
import { route } from "../../http/route.ts";
import type { LogFilter, LoggedCall, UsageStore } from "../../usage/store.ts";
import { callRecord } from "./call-record.ts";
import { CSV_HEADER, usageLine } from "./csv.ts";
import { readLogFilter } from "./read-filter.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";
import { ownCalls, requireNamedCall } from "./whose-calls.ts";

/** Held at a time, whatever the length of the whole. */
const BATCH = 500;

const FORMATS = {
  csv: { type: "text/csv; charset=utf-8; header=present", head: CSV_HEADER, line: usageLine },
  jsonl: {
    type: "application/jsonl; charset=utf-8",
    head: "",
    line: (call: LoggedCall) => `${JSON.stringify(callRecord(call))}\n`,
  },
} as const;

export const exportLogs = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/logs/export"],
    tag: "Usage",
    summary: "Export calls",
    description:
      "All calls that the filter lets through, the oldest first, as they are read: CSV or one JSON object a line.",
    auth: "session",
    scope: "usage:read",
    query: ExportQuery,
    success: "text/csv",
    otherTypes: ["application/jsonl"],
    errors: ["not_found", "invalid_request"],
    async handle({ caller, query, request, connection }) {
      const whose = await ownCalls(deps, caller, request, query);
      await requireNamedCall(deps, whose, query);
      // Calls that come in meanwhile belong to the next export: it ends.
      const filter = { end: deps.clock.nowMs() + 1, ...readLogFilter(whose, query) };
      const format = query.format ?? "csv";
      connection.keepOpen();
      return new Response(streamCalls(deps.usage, filter, FORMATS[format]), {
        headers: {
          "content-type": FORMATS[format].type,
          "content-disposition": `attachment; filename="usage.${format}"`,
          "x-content-type-options": "nosniff",
        },
      });
    },
  });

interface Format {
  readonly head: string;
  readonly line: (call: LoggedCall) => string;
}

/** Reads on only when the client has taken what was read: a slow one holds no more than one batch. */
function streamCalls(usage: UsageStore, filter: LogFilter, { head, line }: Format): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after: LoggedCall | null = null;
  let begun = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const calls = await usage.list(filter, { order: "oldest", limit: BATCH, after });
        after = calls.at(-1) ?? after;
        const text = (begun ? "" : head) + calls.map(line).join("");
        begun = true;
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (calls.length < BATCH) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
