import type { TeamSettingsFields } from "../../../contract/gateway-admin/teams.ts";
import { limitSettings, modelsOf } from "../wire-values.ts";

/** The settings of a body. */
export const teamChanges = (body: TeamSettingsFields) => ({
  ...limitSettings(body),
  models: modelsOf(body.models),
  modelAliases: body.model_aliases,
  guardrails: body.guardrails,
  tags: body.tags,
  metadata: body.metadata,
});
