import type { KeySettings } from "../../../accounts/keys-settings.ts";
import type { ApiKey } from "../../../accounts/records.ts";
import { momentAfter } from "../../../contract/duration.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { KeySettingsFields } from "../../../contract/gateway-admin/keys.ts";
import { GRACE_SECONDS_MAX } from "../../../contract/keys.ts";
import { furtherBudgetsOf } from "../further-budgets.ts";
import { expiryOf, limitSettings, modelLimitsOf, modelsOf } from "../wire-values.ts";

/** The settings of a body. `present` is the key before the change. */
export const keySettings = (body: KeySettingsFields, nowMs: number, present?: ApiKey): KeySettings => ({
  ...limitSettings(body),
  name: body.key_alias ?? undefined,
  models: modelsOf(body.models),
  expiresAt: expiryOf(nowMs, body.duration),
  modelLimits: modelLimitsOf(body.model_rpm_limit, body.model_tpm_limit, present?.modelLimits),
  furtherBudgets: furtherBudgetsOf(body, present?.furtherBudgets),
  aliases: body.aliases,
  allowedIps: body.allowed_ips,
  guardrails: body.guardrails,
  tags: body.tags,
  metadata: body.metadata,
  autoRotate: body.auto_rotate,
  rotationInterval: body.rotation_interval === "" ? null : body.rotation_interval,
  rotationGraceSeconds: body.rotation_grace_period
    ? graceOf(body.rotation_grace_period, "rotation_grace_period")
    : body.rotation_grace_period === undefined
      ? undefined
      : null,
});

/** For how long the value before goes on, in seconds. */
export function graceOf(period: string, param: string): number {
  const seconds = Math.ceil(momentAfter(0, period, param) / 1000);
  if (seconds <= GRACE_SECONDS_MAX) return seconds;
  throw new GatewayError("invalid_request", `${param}: seven days at most.`, { param });
}
