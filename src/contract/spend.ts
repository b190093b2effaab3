import Type from "typebox";
import { queryOf, type Unserved, Usd } from "./gateway-admin/fields.ts";

/** Spend as programs of the gateway's users know it: snake_case, USD as numbers, days of UTC. */
const Day = Type.String({
  maxLength: 40,
  description: "A day such as 2026-01-31, included, or a time such as 2026-01-31 12:00:00, in UTC.",
});
const Text = Type.String({ maxLength: 512, pattern: "^[^\\u0000]*$" });

export const DaySpan = Type.Object({ start_date: Type.Optional(Day), end_date: Type.Optional(Day) });

/** `/spend/logs/v2` has them. */
export const UNSERVED_OF_SPEND_LOGS: Unserved = {
  team_id: [],
  model: [],
  model_id: [],
  key_alias: [],
  end_user: [],
  status_filter: [],
  error_code: [],
  error_message: [],
  min_spend: [],
  max_spend: [],
  page: ["1"],
  page_size: [],
  sort_by: ["startTime"],
  sort_order: ["desc"],
};
export const SpendLogQuery = queryOf(
  {
    ...DaySpan.properties,
    api_key: Type.Optional({ ...Text, description: "The key, its hash or its id." }),
    user_id: Type.Optional(Text),
    request_id: Type.Optional({ ...Text, description: "With dates only where `summarize` is false." }),
    summarize: Type.Optional(Type.Boolean({ description: "With dates: sums by day; true unless told." })),
  },
  UNSERVED_OF_SPEND_LOGS,
);

const Count = (maximum: number) => Type.Integer({ minimum: 1, maximum });
/** The newest calls come first. */
export const UNSERVED_OF_SPEND_PAGES: Unserved = {
  model_id: [],
  key_alias: [],
  error_code: [],
  error_message: [],
  sort_by: ["startTime"],
  sort_order: ["desc"],
};
export const SpendPageQuery = queryOf(
  {
    ...DaySpan.properties,
    api_key: Type.Optional(Text),
    user_id: Type.Optional(Text),
    request_id: Type.Optional(Text),
    team_id: Type.Optional(Text),
    model: Type.Optional(Text),
    end_user: Type.Optional(Text),
    status_filter: Type.Optional(Type.Enum(["success", "failure"])),
    min_spend: Type.Optional(Usd),
    max_spend: Type.Optional(Usd),
    page: Type.Optional(Count(1_000_000)),
    page_size: Type.Optional(Count(100)),
  },
  UNSERVED_OF_SPEND_PAGES,
);

/** Since the beginning, or the days that are asked for: one of the two. */
export const UNSERVED_OF_ALL_TIME: Unserved = { start_date: [], end_date: [] };
const Top = { limit: Type.Optional({ ...Count(10_000), description: "All unless told." }) };
export const AllTimeQuery = queryOf({}, UNSERVED_OF_ALL_TIME);
export const TopQuery = queryOf(Top, UNSERVED_OF_ALL_TIME);
export const UserSpendQuery = queryOf(
  { user_id: Type.Optional({ ...Text, description: "Only this person." }) },
  UNSERVED_OF_ALL_TIME,
);
export const TopInDays = Type.Object({ ...DaySpan.properties, ...Top });
export const TagSpendQuery = Type.Object({
  ...DaySpan.properties,
  tags: Type.Optional({ ...Text, description: "Only these, with commas between." }),
});

/** Days are those of UTC, and nobody is left out of what is asked for. */
const UNSERVED_OF_ACTIVITY: Unserved = {
  exclude_user_ids: [],
  exclude_team_ids: [],
  exclude_organization_ids: [],
  exclude_end_user_ids: [],
  exclude_tags: [],
  tags: [],
  agent_ids: [],
  timezone: ["0"],
};
/** The sums by day do not tell end users apart. */
const UNSERVED_BESIDE_CUSTOMERS: Unserved = { ...UNSERVED_OF_ACTIVITY, end_user_ids: [] };
const ACTIVITY = {
  ...DaySpan.properties,
  api_key: Type.Optional(Text),
  model: Type.Optional(Text),
  user_id: Type.Optional(Text),
  team_ids: Type.Optional({ ...Text, description: "With commas between." }),
  organization_ids: Type.Optional({ ...Text, description: "With commas between." }),
  page: Type.Optional(Count(1_000_000)),
  page_size: Type.Optional(Count(1_000)),
};
export const ActivityQuery = queryOf(ACTIVITY, UNSERVED_BESIDE_CUSTOMERS);
export const CustomerActivityQuery = queryOf(
  { ...ACTIVITY, end_user_ids: Type.Optional({ ...Text, description: "With commas between." }) },
  UNSERVED_OF_ACTIVITY,
);
export { UNSERVED_BESIDE_CUSTOMERS, UNSERVED_OF_ACTIVITY };

export const ReportQuery = Type.Object({
  ...DaySpan.properties,
  group_by: Type.Optional(Type.Enum(["team", "customer", "api_key"])),
  api_key: Type.Optional({ ...Text, description: "Only calls of this key: itself, its hash or its id." }),
  internal_user_id: Type.Optional({ ...Text, description: "Only calls with keys of this person." }),
  team_id: Type.Optional({ ...Text, description: "Only calls of this team." }),
  customer_id: Type.Optional({ ...Text, description: "Only this end user; with `group_by=customer` alone." }),
});

export const CalculateBody = Type.Object(
  {
    model: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 512 }), Type.Null()])),
    messages: Type.Optional(Type.Union([Type.Array(Type.Unknown()), Type.Null()])),
    tools: Type.Optional(Type.Union([Type.Array(Type.Record(Type.String(), Type.Unknown())), Type.Null()])),
    completion_response: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  },
  { additionalProperties: true },
);

const Loose = Type.Object({}, { additionalProperties: true });
export const Rows = Type.Array(Loose);
export const LooseObject = Loose;

const BudgetStanding = Type.Object({
  budget_limit: Type.Number({ description: "In USD, of what the provider charges." }),
  time_period: Type.String(),
  spend: Type.Number({ description: "In the present period, as far as the process that answers knows." }),
  budget_reset_at: Type.String({ format: "date-time" }),
});

export const ProviderBudgets = Type.Object({
  providers: Type.Record(Type.String(), BudgetStanding),
  tags: Type.Record(Type.String(), BudgetStanding),
});
