import Type, { type Static } from "typebox";
import { CALL_STATUSES } from "./usage.ts";

/** Schemas of the usage log and its sums as the platform's API has them. Amounts are nano-USD, beside them USD as text. */
const Instant = Type.String({ format: "date-time" });
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const CountOrNull = Type.Union([Type.Integer(), Type.Null()]);

const CostLine = Type.Object({
  component: Type.String(),
  units: Type.String({ description: "A decimal: parts of a second are exact." }),
  unitPriceUsd: Type.String(),
  cost: Type.Integer(),
  costUsd: Type.String(),
});

const Attempt = Type.Object({
  deploymentId: Type.String(),
  provider: Type.String(),
  statusCode: Type.Integer(),
  error: TextOrNull,
  latencyMs: Type.Integer(),
});

export const CallRecord = Type.Object({
  id: Type.String({ description: "The id of the request, which its answer carried as `x-gw-call-id`." }),
  createdAt: Instant,
  organizationId: TextOrNull,
  teamId: TextOrNull,
  teamName: TextOrNull,
  userId: CountOrNull,
  apiKeyId: Type.String(),
  apiKeyName: Type.String(),
  model: TextOrNull,
  requestedModel: Type.String(),
  provider: TextOrNull,
  endpoint: Type.String(),
  type: Type.String(),
  status: Type.Enum(CALL_STATUSES),
  statusCode: Type.Integer(),
  errorCode: TextOrNull,
  stream: Type.Boolean(),
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  totalTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
  cacheWriteTokens: Type.Integer(),
  reasoningTokens: Type.Integer(),
  audioInputTokens: Type.Integer(),
  audioOutputTokens: Type.Integer(),
  images: Type.Integer(),
  seconds: Type.Number(),
  characters: Type.Integer(),
  cost: Type.Integer(),
  costUsd: Type.String(),
  costBreakdown: Type.Array(CostLine),
  providerCost: Type.Optional(Type.Integer({ description: "For administrators alone." })),
  estimated: Type.Boolean(),
  latencyMs: Type.Integer(),
  ttftMs: CountOrNull,
  attempts: Type.Array(Attempt),
  upstreamId: TextOrNull,
  cacheHit: Type.Boolean(),
  ip: TextOrNull,
  userAgent: TextOrNull,
  endUser: TextOrNull,
  tags: Type.Array(Type.String()),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  priceVersionId: TextOrNull,
  journalId: Type.Union([Type.String(), Type.Null()], { description: "The ledger entry that charged it." }),
});
export type CallRecord = Static<typeof CallRecord>;

export const CallDetails = Type.Object({
  ...CallRecord.properties,
  prices: Type.Unknown({ description: "The price list that was used, or null." }),
  request: Type.Unknown({ description: "Where the organization stores prompts; else null." }),
  response: Type.Unknown({ description: "Where the organization stores prompts; else null." }),
});

export const CallList = Type.Object({
  data: Type.Array(CallRecord),
  meta: Type.Object({
    page: Type.Optional(Type.Integer()),
    pageSize: Type.Integer(),
    total: Type.Optional(Type.Integer()),
    totalPages: Type.Optional(Type.Integer()),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: "Null on the last page." }),
  }),
});

export const UsageSums = Type.Object({
  requests: Type.Integer(),
  failedRequests: Type.Integer({ description: "Those that ended badly, and not because the caller left." }),
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  totalTokens: Type.Integer(),
  cachedTokens: Type.Integer(),
  cacheWriteTokens: Type.Integer(),
  reasoningTokens: Type.Integer(),
  images: Type.Integer(),
  seconds: Type.Number(),
  characters: Type.Integer(),
  cacheHits: Type.Integer(),
  cost: Type.Integer(),
  costUsd: Type.String(),
  providerCost: Type.Optional(Type.Integer({ description: "For administrators alone." })),
  averageLatencyMs: Type.Union([Type.Number(), Type.Null()]),
  averageTtftMs: Type.Union([Type.Number(), Type.Null()]),
});
export type UsageSumsRecord = Static<typeof UsageSums>;

export const UsageReport = Type.Object({
  data: Type.Array(
    Type.Object(
      { start: Instant, end: Instant, bucket: Type.Optional(Type.String()), ...UsageSums.properties },
      { additionalProperties: true },
    ),
  ),
  totals: UsageSums,
  meta: Type.Object({
    startDate: Instant,
    endDate: Instant,
    tz: Type.String(),
    bucket: Type.Union([Type.String(), Type.Null()]),
    groupBy: Type.Array(Type.String()),
    source: Type.Enum(["sums", "log"], {
      description:
        "`log` where calls were read one by one, as far back as the log goes; stored sums go back to the first call.",
    }),
  }),
});

const { requests, promptTokens, completionTokens, totalTokens, cost, costUsd } = UsageSums.properties;
const TagSums = Type.Object({
  start: Instant,
  end: Instant,
  tag: Type.String(),
  requests,
  promptTokens,
  completionTokens,
  totalTokens,
  cost,
  costUsd,
});
export type TagSumsRecord = Static<typeof TagSums>;

export const TagReport = Type.Object({
  data: Type.Array(TagSums),
  meta: Type.Object({
    startDate: Instant,
    endDate: Instant,
    tz: Type.String(),
    bucket: Type.Union([Type.String(), Type.Null()]),
  }),
});
