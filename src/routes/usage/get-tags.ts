import { formatUsd } from "../../contract/money.ts";
import { TagQuery } from "../../contract/usage-query.ts";
import { TagReport, type TagSumsRecord } from "../../contract/usage-records.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { cutInto, type TimeRange } from "../../usage/buckets.ts";
import { requireTimeZone } from "../../usage/date-range.ts";
import type { TextSum } from "../../usage/store.ts";
import { readRange } from "./get-usage.ts";
import { readSumFilter } from "./read-filter.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";
import { ownCalls } from "./whose-calls.ts";

/** Tags are summed from the log itself, bucket by bucket: more of them would be a question of their own each. */
const BUCKETS_MAX = 100;

export const getUsageTags = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/usage/tags"],
    tag: "Usage",
    summary: "Sum up usage by tag",
    description:
      "The dearest thousand of each bucket; at most 100 buckets. A call with two tags counts for both, one without for none, so " +
      "that tags do not add up to the whole. They reach as far back as the log does.",
    auth: "session",
    scope: "usage:read",
    query: TagQuery,
    success: TagReport,
    errors: ["not_found", "invalid_request"],
    async handle({ caller, query, request }) {
      const whose = await ownCalls(deps, caller, request, query);
      const zone = requireTimeZone(query.tz || whose.timezone);
      const range = readRange(query, zone, deps.clock.nowMs());
      const buckets = query.bucket ? cutInto(query.bucket, zone, range, BUCKETS_MAX) : [range];
      const filter = readSumFilter(whose.scope, query);
      const data: TagSumsRecord[] = [];
      for (const { start, end } of buckets) {
        const sums = await deps.usage.sumTexts({ ...filter, start, end }, "tag");
        for (const sum of sums) data.push(tagRow(sum, { start, end }));
      }
      const meta = { startDate: isoTime(range.start), endDate: isoTime(range.end), tz: zone.name };
      return json({ data, meta: { ...meta, bucket: query.bucket ?? null } });
    },
  });

const tagRow = (sum: TextSum, { start, end }: TimeRange): TagSumsRecord => ({
  start: isoTime(start),
  end: isoTime(end),
  tag: sum.text,
  requests: Number(sum.requests),
  promptTokens: Number(sum.promptTokens),
  completionTokens: Number(sum.completionTokens),
  totalTokens: Number(sum.promptTokens + sum.completionTokens),
  cost: Number(sum.cost),
  costUsd: formatUsd(sum.cost),
});
