import { eitherOf } from "../../contract/either-of.ts";
import { furtherOf, limitsOf } from "../../contract/limits.ts";
import type { TeamSettingsFields } from "../../contract/organizations.ts";

/** The settings of a body, whichever spelling it has. */
export const teamSettings = (body: TeamSettingsFields) => ({
  models: body.models,
  modelAliases: eitherOf(body.modelAliases, body.model_aliases),
  guardrails: body.guardrails,
  tags: body.tags,
  metadata: body.metadata,
  modelLimits: eitherOf(body.modelLimits, body.model_limits),
  furtherBudgets: furtherOf(body),
  ...limitsOf(body),
});
