import Type, { type Static, type TProperties, type TSchema } from "typebox";
import { GatewayError } from "../errors.ts";
import { BUDGET_USD_MAX } from "../money.ts";
import { nullable } from "../schema.ts";

/** What the operations that gateway users script against have in common. Their names are those that such scripts send. */
const Text = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, pattern: "^[^\\u0000-\\u001f\\u007f]*$" });

export const Id = Text(64);
export const NewId = Type.String({ pattern: "^[\\w.-]{1,64}$", description: "Only the operator brings an id along." });
export const Alias = Type.String({ minLength: 1, maxLength: 400, description: "1 to 100 characters." });
/** A key itself, its hash or its id. */
export const KeyReference = Text(512);
export const UserReference = Text(254);
export const Email = Type.String({ minLength: 3, maxLength: 254 });
export const ModelNames = Type.Array(Text(512), { maxItems: 1000 });
export const ModelMap = Type.Record(Text(512), Text(512), { maxProperties: 200 });
export const Tags = Type.Array(Text(100), { maxItems: 50 });
export const Metadata = Type.Record(Type.String(), Type.Unknown(), { description: "At most 16 KiB of JSON." });
export const Addresses = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 });

export const Usd = Type.Number({
  minimum: 0,
  maximum: BUDGET_USD_MAX,
  description: "US dollars, down to a billionth.",
});
export const Rate = Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "0 rejects every call." });
const RateMap = Type.Record(Text(512), Rate, { maxProperties: 200 });
export const Duration = Type.String({ maxLength: 16, description: "Such as 30s, 30m, 30h, 30d, 1w or 1mo." });
const Window = Type.String({
  maxLength: 16,
  description:
    "A number and a unit (s, m, h, d, w, mo). 1h, 1d (24h), 7d (1w) and 30d (1mo) are calendar windows; others are " +
    "counted from Monday, 1 January 2024.",
});

/** Null empties a field. */
export const RATES = { tpm_limit: nullable(Rate), rpm_limit: nullable(Rate) };
export const SPENDING = { max_budget: nullable(Usd), budget_duration: nullable(Window) };
export const LIMITS = {
  ...SPENDING,
  ...RATES,
  soft_budget: nullable(Usd),
  max_parallel_requests: nullable(Rate),
};
export const MODEL_RATES = { model_rpm_limit: nullable(RateMap), model_tpm_limit: nullable(RateMap) };
/** Limits of each member of a team who has none. */
export const MEMBER_DEFAULTS = {
  team_member_budget: nullable(Usd),
  team_member_budget_duration: nullable(Window),
  team_member_rpm_limit: nullable(Rate),
  team_member_tpm_limit: nullable(Rate),
};

const ModelBudget = Type.Object(
  {
    budget_limit: Type.Optional(Usd),
    max_budget: Type.Optional({ ...Usd, description: "Another name of `budget_limit`." }),
    time_period: nullable(Window),
    budget_duration: nullable({ ...Window, description: "Another name of `time_period`." }),
  },
  { additionalProperties: false },
);
const BudgetLimit = Type.Object(
  {
    max_budget: Usd,
    budget_duration: nullable(Window),
    reset_at: nullable(Type.String({ maxLength: 40, description: "Ignored: responses have it." })),
  },
  { additionalProperties: false },
);
/** Budgets next to `max_budget`. */
export const FURTHER_BUDGETS = {
  model_max_budget: nullable(
    Type.Record(Text(512), ModelBudget, {
      maxProperties: 100,
      description: "Budgets of single models, by their groups.",
    }),
  ),
  budget_limits: nullable(
    Type.Array(BudgetLimit, { maxItems: 20, description: "Further budgets; all of them are enforced." }),
  ),
};
const FurtherBudgetsBody = Type.Object(FURTHER_BUDGETS);
export type FurtherBudgetFields = Static<typeof FurtherBudgetsBody>;
export const BUDGET_ID = { budget_id: nullable(Text(64)) };

/** The values, beside an empty one, with which a field that is known from elsewhere and not served here changes nothing. */
export type Unserved = Readonly<Record<string, readonly unknown[]>>;

/** A body with its served fields; the others are named too, so that they can be refused by name, and no more are taken. */
export const bodyOf = <P extends TProperties>(served: P, unserved: Unserved = {}) =>
  Type.Object({ ...served, ...namesOf(unserved) }, { additionalProperties: false });

/** The same of a query, where other names are nobody's business: proxies and clients add theirs. */
export const queryOf = <P extends TProperties>(served: P, unserved: Unserved) =>
  Type.Object({ ...served, ...namesOf(unserved) });

const namesOf = (unserved: Unserved) =>
  Object.fromEntries(
    Object.keys(unserved).map((name) => [name, Type.Optional(Type.Unknown({ description: NOT_SERVED }))]),
  ) as Record<never, TSchema>;
const NOT_SERVED = "Not served: refused unless it is empty.";

/** Ignoring a field that the caller relies on would be worse than an error. `instead` names what does the same. */
export function refuseUnserved(
  bodyOrQuery: object,
  unserved: Unserved,
  instead: Readonly<Record<string, string>> = {},
): void {
  for (const [name, harmless] of Object.entries(unserved)) {
    const value = (bodyOrQuery as Record<string, unknown>)[name];
    if (isNothing(value) || harmless.includes(value)) continue;
    const way = instead[name];
    const reason = way === undefined ? "it is not served here; leave it out." : `it is not supported here. ${way}`;
    throw new GatewayError("invalid_request", `${name}: ${reason}`, { param: name });
  }
}

function isNothing(value: unknown): boolean {
  // 0 is something: a limit of it would let nothing through.
  if (value === undefined || value === null || value === false || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Null empties a field; where a record always has a value, the caller would take it for gone. */
export function refuseNulls(body: object, names: readonly string[], reason: string): void {
  const name = names.find((one) => (body as Record<string, unknown>)[one] === null);
  if (name === undefined) return;
  throw new GatewayError("invalid_request", `${name}: ${reason}`, { param: name });
}
export const ALWAYS_NAMED = "there is always one; leave it out to keep it.";
export const ALWAYS_THERE = "it stays where it is; leave it out.";
export const TRUE_OR_FALSE = "say true or false, or leave it out to keep it.";

/** Paging in the manner of these lists. */
export const PageNumber = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }));
export const pageSize = (standard: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: `${standard} unless told.` }));

export const Answer = Type.Object({}, { additionalProperties: true });
export const SortOrder = Type.Optional(Type.Enum(["asc", "desc"]));
