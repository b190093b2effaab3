import { GatewayError } from "../../contract/errors.ts";
import { AdminUsageQuery, type SpanQuery, UsageQuery } from "../../contract/usage-query.ts";
import { UsageReport } from "../../contract/usage-records.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { TimeZone } from "../../lib/time-zone.ts";
import { type Bucket, cutInto, type TimeRange } from "../../usage/buckets.ts";
import { requireTimeZone, wholeQuarters } from "../../usage/date-range.ts";
import { type Dimension, LOG_DIMENSIONS, type LogDimension } from "../../usage/store.ts";
import { addUp, namedValues, sumsRecord } from "./group-record.ts";
import { readSpan, readSumFilter } from "./read-filter.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";
import { allCalls, ownCalls, type Whose } from "./whose-calls.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;

type Groups = Readonly<Record<string, Dimension | LogDimension>>;

const GROUPS: Groups = {
  model: "model",
  apiKey: "keyId",
  team: "teamId",
  user: "userId",
  member: "userId",
  provider: "provider",
  type: "operation",
  status: "status",
  endpoint: "endpoint",
  tag: "tag",
};
const ADMIN_GROUPS: Groups = { ...GROUPS, organization: "organizationId" };

export const getUsage = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/usage"],
    tag: "Usage",
    summary: "Sum up usage",
    description:
      "By hour, day, week or month of any time zone, and by what is named in `groupBy`; the last 30 days unless told. Sums are " +
      "kept by quarter of an hour: a range that begins or ends within one is widened, and `meta` tells to what. `endpoint` and " +
      "`tag` are read from the log, as far back as it goes, and `meta.source` says so; a call with two tags counts for both of " +
      "them, and once in `totals`.",
    auth: "session",
    scope: "usage:read",
    query: UsageQuery,
    success: UsageReport,
    errors: ["not_found", "invalid_request"],
    async handle({ caller, query, request }) {
      const whose = await ownCalls(deps, caller, request, query);
      return json(await report(deps, whose, query, { groups: GROUPS, admin: false }));
    },
  });

export const adminGetUsage = (deps: UsageRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/admin/usage"],
    tag: "Administration",
    summary: "Sum up the usage of all organizations",
    description: "As `/api/gw/usage`, also by `organization`, and with what the providers ask.",
    auth: "admin",
    query: AdminUsageQuery,
    success: UsageReport,
    errors: ["invalid_request"],
    handle: async ({ query }) =>
      json(await report(deps, await allCalls(deps, query), query, { groups: ADMIN_GROUPS, admin: true })),
  });

interface View {
  readonly groups: Groups;
  readonly admin: boolean;
}

async function report({ usage, clock }: UsageRouteDeps, whose: Whose, query: UsageQuery, { groups, admin }: View) {
  const zone = requireTimeZone(query.tz || whose.timezone);
  const range = readRange(query, zone, clock.nowMs());
  const groupBy = readGroups(query.groupBy || query.group_by || "", groups);
  const buckets: readonly (TimeRange & Partial<Bucket>)[] = query.bucket ? cutInto(query.bucket, zone, range) : [range];
  const dimensions = groupBy.flatMap((name) => groups[name] ?? []);
  const filter = readSumFilter(whose.scope, query);
  const kept = dimensions.filter(isKept);
  const isFromLog = kept.length < dimensions.length;
  const rows = isFromLog ? await usage.sumLog(filter, buckets, dimensions) : await usage.sum(filter, buckets, kept);
  // Groups by tag add up to more than there was.
  const whole = dimensions.includes("tag") ? await usage.sumLog(filter, [range], []) : rows;
  const names = await usage.namesOf(rows);
  const bucketAt = new Map(buckets.map((bucket) => [bucket.start, bucket]));
  return {
    data: rows.map(({ start, values, sums }) => {
      const { end = range.end, label } = bucketAt.get(start) ?? {};
      return {
        start: isoTime(start),
        end: isoTime(end),
        ...(label === undefined ? {} : { bucket: label }),
        ...namedValues(values, names),
        ...sumsRecord(sums, admin),
      };
    }),
    totals: sumsRecord(addUp(whole.map(({ sums }) => sums)), admin),
    meta: {
      startDate: isoTime(range.start),
      endDate: isoTime(range.end),
      tz: zone.name,
      bucket: query.bucket ?? null,
      groupBy,
      source: isFromLog ? "log" : "sums",
    },
  };
}

const isKept = (dimension: Dimension | LogDimension): dimension is Dimension =>
  !(LOG_DIMENSIONS as readonly string[]).includes(dimension);

/** The last 30 days unless told. */
export function readRange(query: SpanQuery, zone: TimeZone, nowMs: number): TimeRange {
  const { start, end = nowMs } = readSpan(query, zone);
  const range = wholeQuarters({ start: start ?? zone.startOf(zone.dayOf(end) - DEFAULT_DAYS * DAY_MS), end });
  if (range.start <= range.end) return range;
  throw new GatewayError("invalid_request", "`startDate` lies after `endDate`.", { param: "startDate" });
}

function readGroups(text: string, known: View["groups"]): readonly string[] {
  const wanted = text.split(",").map((name) => name.trim());
  const named = [...new Set(wanted.filter((name) => name !== ""))];
  const odd = named.find((name) => !Object.hasOwn(known, name));
  if (odd === undefined) return named;
  throw new GatewayError(
    "invalid_request",
    `\`groupBy\` knows no "${odd.slice(0, 40)}"; it knows ${Object.keys(known).join(", ")}.`,
    { param: "groupBy" },
  );
}
