import Type, { type Static } from "typebox";
import { PageQuery } from "./paging.ts";
import { sortQuery } from "./sorting.ts";
import { CALL_STATUSES } from "./usage.ts";

/** What the usage log can be asked, under every name that people know it by. */
const Text = Type.String({ maxLength: 256, pattern: "^[^\\u0000]*$" });
const Id = Type.String({ maxLength: 128, pattern: "^[^\\u0000]*$" });
const Key = Type.String({ maxLength: 512, pattern: "^[^\\u0000]*$" });
const When = Type.String({ maxLength: 40 });
const Cost = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const same = (name: string) => ({ description: `The same as \`${name}\`.` });

const SPAN = {
  startDate: Type.Optional({ ...When, description: "A date, meaning its day in `tz`, or a time with its zone." }),
  start_date: Type.Optional({ ...When, ...same("startDate") }),
  from: Type.Optional({ ...When, ...same("startDate") }),
  endDate: Type.Optional({ ...When, description: "A date, that day included, or a time, which is not." }),
  end_date: Type.Optional({ ...When, ...same("endDate") }),
  to: Type.Optional({ ...When, ...same("endDate") }),
  tz: Type.Optional(Type.String({ maxLength: 64, description: "An IANA name; the organization's unless told." })),
};

const SpanQuery = Type.Object(SPAN);
export type SpanQuery = Static<typeof SpanQuery>;

const WHOSE = {
  apiKey: Type.Optional({ ...Key, description: "The id, the handle or the key itself." }),
  api_key: Type.Optional({ ...Key, ...same("apiKey") }),
  apiKeyId: Type.Optional({ ...Key, ...same("apiKey") }),
  keyId: Type.Optional({ ...Key, ...same("apiKey") }),
  teamId: Type.Optional(Id),
  team_id: Type.Optional({ ...Id, ...same("teamId") }),
  userId: Type.Optional({ ...Id, description: "Who made the key." }),
  user_id: Type.Optional({ ...Id, ...same("userId") }),
  model: Type.Optional({ ...Text, description: "As it was asked for, or as it served." }),
  provider: Type.Optional(Text),
  type: Type.Optional({ ...Text, description: "Such as `chat` or `embedding`." }),
  status: Type.Optional(
    Type.Enum([...CALL_STATUSES, "success", "failure"], {
      description: "One of the ends that a call can have; `failure` means all bad ones.",
    }),
  ),
};

export const LogFilterQuery = Type.Object({
  ...SPAN,
  ...WHOSE,
  requestId: Type.Optional(Id),
  request_id: Type.Optional({ ...Id, ...same("requestId") }),
  minCost: Type.Optional({ ...Cost, description: "In nano-USD." }),
  min_cost: Type.Optional({ ...Cost, ...same("minCost") }),
  maxCost: Type.Optional({ ...Cost, description: "In nano-USD." }),
  stream: Type.Optional(Type.Boolean()),
  endUser: Type.Optional(Text),
  end_user: Type.Optional({ ...Text, ...same("endUser") }),
  tag: Type.Optional(Text),
});
export type LogFilterQuery = Static<typeof LogFilterQuery>;

export const LogQuery = Type.Object({
  ...PageQuery.properties,
  ...LogFilterQuery.properties,
  ...sortQuery(["createdAt"], "the newest first"),
  cursor: Type.Optional(
    Type.String({
      minLength: 0,
      maxLength: 200,
      description:
        "`nextCursor` of the page before, asked for with the same `sort` and `order`; pages by cursor stay as they are while calls come in.",
    }),
  ),
});
export type LogQuery = Static<typeof LogQuery>;

export const ExportQuery = Type.Object({
  ...LogFilterQuery.properties,
  format: Type.Optional(Type.Enum(["csv", "jsonl"], { description: "`csv` unless told." })),
});

/** Sums know calls by what served them alone. */
const SUMMED = { ...SPAN, ...WHOSE, model: Type.Optional({ ...Text, description: "As it served." }) };

export const UsageQuery = Type.Object({
  ...SUMMED,
  groupBy: Type.Optional({
    ...Text,
    description:
      "One or more of model, apiKey, team, user (or member), provider, type, status; from the log also endpoint, tag.",
  }),
  group_by: Type.Optional({ ...Text, ...same("groupBy") }),
  bucket: Type.Optional(Type.Enum(["hour", "day", "week", "month"])),
});
export type UsageQuery = Static<typeof UsageQuery>;

export const TagQuery = Type.Object({ ...SUMMED, bucket: UsageQuery.properties.bucket });
export type TagQuery = Static<typeof TagQuery>;

const Organization = {
  organizationId: Type.Optional(Id),
  organization_id: Type.Optional({ ...Id, ...same("organizationId") }),
};
export const AdminLogQuery = Type.Object({ ...LogQuery.properties, ...Organization });
export const AdminUsageQuery = Type.Object({ ...UsageQuery.properties, ...Organization });
export interface OrganizationQuery {
  readonly organizationId?: string;
  readonly organization_id?: string;
}
