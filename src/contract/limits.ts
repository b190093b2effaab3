import Type, { type Static } from "typebox";
import { BUDGET_WINDOW_PATTERN, type BudgetWindow } from "./duration.ts";
import { eitherOf } from "./either-of.ts";
import { GatewayError } from "./errors.ts";
import { nullable } from "./schema.ts";
import { Instant } from "./users.ts";

/** Limits as the platform's API has them, in both spellings; null empties a field. Amounts are in nano-USD. */
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "In nano-USD." });
export const BudgetWindowText = Type.Unsafe<BudgetWindow>({
  type: "string",
  pattern: BUDGET_WINDOW_PATTERN,
  description: "hour, day, week, month, total, or a duration such as 30s, 12h, 2w or 3mo.",
});
const Rate = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const ModelName = Type.String({ minLength: 1, maxLength: 512, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });
const ModelRates = Type.Record(
  ModelName,
  Type.Object({ rpm: Type.Optional(Rate), tpm: Type.Optional(Rate) }, { additionalProperties: false }),
  {
    maxProperties: 200,
    description:
      "Requests and tokens a minute of single models; a pattern such as `*` is of each model without an entry of its own. Replaces all that was there.",
  },
);

export const MEMBER_LIMITS = {
  budget: nullable(Amount),
  budgetWindow: nullable(BudgetWindowText),
  budget_window: nullable(BudgetWindowText),
  rpmLimit: nullable(Rate),
  rpm_limit: nullable(Rate),
  tpmLimit: nullable(Rate),
  tpm_limit: nullable(Rate),
};

export const LIMITS = {
  ...MEMBER_LIMITS,
  softBudget: nullable({ ...Amount, description: "In nano-USD; passing it is told, and refuses nothing." }),
  soft_budget: nullable(Amount),
  parallelLimit: nullable(Rate),
  parallel_limit: nullable(Rate),
};
const FurtherBudgets = Type.Array(
  Type.Object({ limit: Amount, window: BudgetWindowText, model: nullable(ModelName) }, { additionalProperties: false }),
  {
    maxItems: 120,
    description:
      "Budgets next to `budget`, of other windows or of one model. All are enforced. Replaces the whole list.",
  },
);
export const FURTHER_BUDGETS = { furtherBudgets: nullable(FurtherBudgets), further_budgets: nullable(FurtherBudgets) };
export const MODEL_LIMITS = { modelLimits: nullable(ModelRates), model_limits: nullable(ModelRates) };
export const Aliases = Type.Record(ModelName, ModelName, { maxProperties: 200 });

const MemberLimitsBody = Type.Object(MEMBER_LIMITS);
const LimitsBody = Type.Object(LIMITS);
const FurtherBudgetsBody = Type.Object(FURTHER_BUDGETS);

/** What scripts of gateways call these, and what they are called here. */
const CALLED_HERE: Readonly<Record<string, string>> = {
  max_budget: "`budget`, in nano-USD: 1 USD is 1000000000",
  max_budget_in_team: "`budget`, in nano-USD: 1 USD is 1000000000",
  budget_duration: "`budgetWindow`: hour, day, week, month, total or a duration such as 12h",
  max_parallel_requests: "`parallelLimit`",
  budget_limits: '`furtherBudgets`: [{"limit": 1000000000, "window": "day"}]',
  model_max_budget: '`furtherBudgets`: [{"limit": 1000000000, "window": "day", "model": "model"}]',
  model_rpm_limit: '`modelLimits` of a key: {"model": {"rpm": 10}}',
  model_tpm_limit: '`modelLimits` of a key: {"model": {"tpm": 1000}}',
};

/** Other fields than ours are nobody's business; but who sends a limit by another name must not believe that it holds. */
export function refuseOtherNames(body: object): void {
  const name = Object.keys(CALLED_HERE).find((one) => Object.hasOwn(body, one));
  if (name === undefined) return;
  throw new GatewayError("invalid_request", `${name}: here it is ${CALLED_HERE[name]}.`, { param: name });
}

/** The limits of a body, whichever spelling it has. */
export function memberLimitsOf(body: Static<typeof MemberLimitsBody>) {
  refuseOtherNames(body);
  return {
    budget: body.budget,
    budgetWindow: eitherOf(body.budgetWindow, body.budget_window),
    rpmLimit: eitherOf(body.rpmLimit, body.rpm_limit),
    tpmLimit: eitherOf(body.tpmLimit, body.tpm_limit),
  };
}

export const limitsOf = (body: Static<typeof LimitsBody>) => ({
  ...memberLimitsOf(body),
  softBudget: eitherOf(body.softBudget, body.soft_budget),
  parallelLimit: eitherOf(body.parallelLimit, body.parallel_limit),
});

export function furtherOf(body: Static<typeof FurtherBudgetsBody>) {
  const given = eitherOf(body.furtherBudgets, body.further_budgets);
  return given ? given.map(({ model = null, ...terms }) => ({ ...terms, model })) : given;
}

const Count = Type.Union([Type.Integer(), Type.Null()]);

export const MEMBER_LIMITS_VIEW = {
  budget: Type.Union([Type.Object({ limit: Type.Integer(), window: BudgetWindowText }), Type.Null()]),
  rpmLimit: Count,
  tpmLimit: Count,
};
/** With what was spent of it in the present window, and when the next begins. */
export const SpentBudget = Type.Union([
  Type.Object({
    limit: Type.Integer(),
    window: BudgetWindowText,
    spent: Type.Integer({ description: "In the present window." }),
    resetAt: Type.Union([Instant, Type.Null()]),
  }),
  Type.Null(),
]);
export const SpentFurtherBudgets = Type.Array(
  Type.Object({
    limit: Type.Integer(),
    window: BudgetWindowText,
    model: Type.Union([Type.String(), Type.Null()], { description: "The group whose calls count; null: any." }),
    spent: Type.Integer({ description: "In the current window." }),
    resetAt: Type.Union([Instant, Type.Null()]),
  }),
  { description: "Budgets next to `budget`." },
);
export const ShownWindow = Type.Union([BudgetWindowText, Type.Null()], {
  description: "Of `budget` and of `softBudget`; null where there is neither.",
});
export const LIMITS_VIEW = {
  ...MEMBER_LIMITS_VIEW,
  budgetWindow: ShownWindow,
  softBudget: Count,
  parallelLimit: Count,
};

interface MemberLimits {
  readonly budget: bigint | null;
  readonly budgetWindow: BudgetWindow | null;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
}

export const memberLimitsView = ({ budget, budgetWindow, rpmLimit, tpmLimit }: MemberLimits) => ({
  budget: budget === null ? null : { limit: Number(budget), window: budgetWindow ?? ("total" as const) },
  rpmLimit,
  tpmLimit,
});

type BudgetLimits = Pick<MemberLimits, "budget" | "budgetWindow"> & { readonly softBudget: bigint | null };

export const shownWindow = ({ budget, softBudget, budgetWindow }: BudgetLimits) =>
  budget === null && softBudget === null ? null : (budgetWindow ?? ("total" as const));

export const limitsView = (limits: MemberLimits & BudgetLimits & { readonly parallelLimit: number | null }) => ({
  ...memberLimitsView(limits),
  budgetWindow: shownWindow(limits),
  softBudget: limits.softBudget === null ? null : Number(limits.softBudget),
  parallelLimit: limits.parallelLimit,
});
