import type { FurtherBudget } from "../../accounts/records.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { FurtherBudgetFields } from "../../contract/gateway-admin/fields.ts";
import { durationOf, nanoOf, resetAt, usdOf, windowOf, type ZonedTime } from "./wire-values.ts";

/** Further budgets of a body. A field that is left out keeps those that are `present`. */
export function furtherBudgetsOf(
  { model_max_budget, budget_limits }: FurtherBudgetFields,
  present: readonly FurtherBudget[] = [],
): readonly FurtherBudget[] | undefined {
  if (model_max_budget === undefined && budget_limits === undefined) return undefined;
  const ofModels =
    model_max_budget === undefined
      ? present.filter(({ model }) => model !== null)
      : Object.entries(model_max_budget ?? {}).map(([model, fields]) => ({ model, ...modelBudget(model, fields) }));
  const ofAll =
    budget_limits === undefined
      ? present.filter(({ model }) => model === null)
      : (budget_limits ?? []).map(({ max_budget, budget_duration }) => ({
          model: null,
          limit: nanoOf(max_budget) ?? 0,
          window: windowOf(budget_duration, "budget_limits") ?? ("total" as const),
        }));
  return [...ofAll, ...ofModels];
}

type ModelBudgetFields = NonNullable<FurtherBudgetFields["model_max_budget"]>[string];

function modelBudget(model: string, fields: ModelBudgetFields): Omit<FurtherBudget, "model"> {
  const { budget_limit, max_budget, time_period, budget_duration } = fields;
  const limit = nanoOf(budget_limit ?? max_budget);
  if (model.includes("*")) throw invalid(`\`${model}\` is a pattern; name each model.`);
  if (limit == null) throw invalid(`\`${model}\` needs a \`budget_limit\`.`);
  if (budget_limit !== undefined && max_budget !== undefined) {
    throw invalid(`\`${model}\` has both \`budget_limit\` and \`max_budget\`; keep one of them.`);
  }
  return { limit, window: windowOf(time_period ?? budget_duration, "model_max_budget") ?? "total" };
}

export function furtherView(budgets: readonly FurtherBudget[], time: ZonedTime) {
  const limits = budgets.filter(({ model }) => model === null);
  const ofModels = budgets.flatMap(({ model, limit, window }) =>
    model === null ? [] : [[model, { budget_limit: usdOf(BigInt(limit)), time_period: durationOf(window) }] as const],
  );
  return {
    model_max_budget: Object.fromEntries(ofModels),
    budget_limits: limits.map(({ limit, window }) => ({
      max_budget: usdOf(BigInt(limit)),
      budget_duration: durationOf(window),
      reset_at: resetAt(window, time),
    })),
  };
}

/** Spend in the current windows: by model, and by duration. */
export function furtherUsage(budgets: readonly (FurtherBudget & { readonly spent: number })[]) {
  const usage = (isIn: (budget: FurtherBudget) => boolean, nameOf: (budget: FurtherBudget) => string | null) =>
    Object.fromEntries(
      budgets.filter(isIn).map((budget) => [nameOf(budget) ?? "total", { current_spend: usdOf(BigInt(budget.spent)) }]),
    );
  return {
    model_max_budget_usage: usage(
      ({ model }) => model !== null,
      ({ model }) => model,
    ),
    budget_limits_usage: usage(
      ({ model }) => model === null,
      ({ window }) => durationOf(window),
    ),
  };
}

const invalid = (reason: string): GatewayError =>
  new GatewayError("invalid_request", `model_max_budget: ${reason}`, { param: "model_max_budget" });
