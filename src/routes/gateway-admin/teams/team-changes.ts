import type { Team } from "../../../accounts/records.ts";
import type { TeamSettingsFields } from "../../../contract/gateway-admin/teams.ts";
import { furtherBudgetsOf } from "../further-budgets.ts";
import { limitSettings, modelLimitsOf, modelsOf, nanoOf, windowOf } from "../wire-values.ts";

/** The settings of a body. `present` is the team before the change. */
export const teamChanges = (body: TeamSettingsFields, present?: Team) => ({
  ...limitSettings(body),
  modelLimits: modelLimitsOf(body.model_rpm_limit, body.model_tpm_limit, present?.modelLimits),
  furtherBudgets: furtherBudgetsOf(body, present?.furtherBudgets),
  memberDefaults: memberDefaultsOf(body),
  models: modelsOf(body.models),
  modelAliases: body.model_aliases,
  guardrails: body.guardrails,
  tags: body.tags,
  metadata: body.metadata,
});

function memberDefaultsOf(body: TeamSettingsFields) {
  const limits = {
    budget: nanoOf(body.team_member_budget),
    budgetWindow: windowOf(body.team_member_budget_duration, "team_member_budget_duration"),
    rpmLimit: body.team_member_rpm_limit,
    tpmLimit: body.team_member_tpm_limit,
  };
  return Object.values(limits).every((limit) => limit === undefined) ? undefined : limits;
}
