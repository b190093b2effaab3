import type { KeySettings } from "../../../accounts/keys-settings.ts";
import type { ModelLimits } from "../../../accounts/records.ts";
import type { KeySettingsFields } from "../../../contract/gateway-admin/keys.ts";
import { expiryOf, limitSettings, modelLimitsOf, modelsOf } from "../wire-values.ts";

/** The settings of a body. `present` is what a key has of limits for single models, where it is there already. */
export const keySettings = (body: KeySettingsFields, nowMs: number, present?: ModelLimits): KeySettings => ({
  ...limitSettings(body),
  name: body.key_alias ?? undefined,
  models: modelsOf(body.models),
  expiresAt: expiryOf(nowMs, body.duration),
  modelLimits: modelLimitsOf(body.model_rpm_limit, body.model_tpm_limit, present),
  aliases: body.aliases,
  allowedIps: body.allowed_ips,
  guardrails: body.guardrails,
  tags: body.tags,
  metadata: body.metadata,
});
