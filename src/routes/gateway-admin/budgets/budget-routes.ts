import Type from "typebox";
import type { Budget } from "../../../accounts/records.ts";
import {
  BudgetInfoBody,
  BudgetQuery,
  DeleteBudgetBody,
  NewBudgetBody,
  UpdateBudgetBody,
} from "../../../contract/gateway-admin/budgets.ts";
import { isoTime } from "../../../contract/users.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { adminOf } from "../authority-of.ts";
import { furtherBudgetsOf, furtherView } from "../further-budgets.ts";
import { EVERYTHING, OPERATORS } from "../shared.ts";
import { limitSettings, limitView, mapOf, modelLimitsOf, timedLimitView } from "../wire-values.ts";

const shared = { ...OPERATORS, tag: "Budgets" } as const;
const Rows = Type.Array(OPERATORS.success);

/** Limits under a name, which keys, teams, organizations and users can be given by `budget_id`. */
export const gatewayBudgetRoutes = ({ budgets, clock }: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: ["/budget/new"],
    summary: "Create a budget",
    body: NewBudgetBody,
    errors: ["invalid_request", "conflict"],
    async handle({ body, caller, connection }) {
      const settings = {
        ...limitSettings(body),
        modelLimits: modelLimitsOf(body.model_rpm_limit, body.model_tpm_limit),
        furtherBudgets: furtherBudgetsOf(body),
      };
      const made = await budgets.create(adminOf({ caller, connection }), body.budget_id ?? null, settings);
      return json(budgetRow(made, clock));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: ["/budget/update"],
    summary: "Change a budget",
    description: "All that have it get its new limits at once. 409 where somebody has it who cannot be limited so.",
    body: UpdateBudgetBody,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      const present = await budgets.get(body.budget_id);
      const modelLimits = modelLimitsOf(body.model_rpm_limit, body.model_tpm_limit, present.modelLimits);
      const furtherBudgets = furtherBudgetsOf(body, present.furtherBudgets);
      const { budgetId: _, ...limits } = limitSettings(body);
      const settings = { ...limits, modelLimits, furtherBudgets };
      const changed = await budgets.update(adminOf({ caller, connection }), body.budget_id, settings);
      return json(budgetRow(changed, clock));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: ["/budget/info"],
    summary: "Show budgets",
    body: BudgetInfoBody,
    success: Rows,
    errors: ["not_found"],
    async handle({ body }) {
      const found = await Promise.all(body.budgets.map((id) => budgets.get(id)));
      return json(found.map((budget) => budgetRow(budget, clock)));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: ["/budget/settings"],
    summary: "Show the fields of a budget",
    query: BudgetQuery,
    success: Rows,
    errors: ["not_found"],
    handle: async ({ query }) => json(fieldsOf(await budgets.get(query.budget_id))),
  }),
  route({
    ...shared,
    method: "GET",
    paths: ["/budget/list"],
    summary: "List budgets",
    success: Rows,
    errors: [],
    handle: async () => json((await budgets.list(EVERYTHING)).rows.map((budget) => budgetRow(budget, clock))),
  }),
  route({
    ...shared,
    method: "POST",
    paths: ["/budget/delete"],
    summary: "Remove a budget",
    description: "Refused with 409 while somebody has it.",
    body: DeleteBudgetBody,
    errors: ["not_found", "conflict"],
    async handle({ body, caller, connection }) {
      const budget = await budgets.get(body.id);
      await budgets.remove(adminOf({ caller, connection }), body.id);
      return json(budgetRow(budget, clock));
    },
  }),
];

/** `budget_reset_at` is that of UTC: owners of the budget follow the time zones of their organizations. */
const budgetRow = (budget: Budget, clock: Clock) => ({
  budget_id: budget.id,
  ...timedLimitView(budget, { nowMs: clock.nowMs(), zone: "UTC" }),
  ...furtherView(budget.furtherBudgets, { nowMs: clock.nowMs(), zone: "UTC" }),
  ...modelRates(budget),
  created_at: isoTime(budget.createdAt),
  updated_at: isoTime(budget.updatedAt),
});

const modelRates = ({ modelLimits }: Budget) => ({
  model_rpm_limit: mapOf(modelLimits, "rpm"),
  model_tpm_limit: mapOf(modelLimits, "tpm"),
});

const DESCRIPTIONS: Readonly<Record<string, readonly [string, string]>> = {
  max_budget: ["Float", "What may be spent in each window, in US dollars."],
  soft_budget: ["Float", "Passing it is told, and refuses nothing."],
  budget_duration: ["String", "After what time the spending resets, e.g. 12h, 1d, 7d or 30d."],
  tpm_limit: ["Integer", "Tokens a minute."],
  rpm_limit: ["Integer", "Requests a minute."],
  max_parallel_requests: ["Integer", "Calls at one time."],
  model_rpm_limit: ["Dict", "Requests a minute of single models, for keys."],
  model_tpm_limit: ["Dict", "Tokens a minute of single models, for keys."],
};

const fieldsOf = (budget: Budget) =>
  Object.entries({ ...limitView(budget), ...modelRates(budget) }).map(([name, value]) => ({
    field_name: name,
    field_type: DESCRIPTIONS[name]?.[0],
    field_description: DESCRIPTIONS[name]?.[1],
    field_value: value,
    stored_in_db: true,
    field_default_value: null,
  }));
