import type { KeySettings } from "../../accounts/keys-settings.ts";
import { eitherOf } from "../../contract/either-of.ts";
import type { KeySettingsBody } from "../../contract/keys.ts";
import { furtherOf, refuseOtherNames } from "../../contract/limits.ts";

/** The settings of a body, whichever spelling it has. */
export function keySettings(body: KeySettingsBody): KeySettings {
  refuseOtherNames(body);
  return {
    models: body.models,
    expiresAt: eitherOf(body.expiresAt, body.expires_at),
    budget: body.budget,
    budgetWindow: eitherOf(body.budgetWindow, body.budget_window),
    rpmLimit: eitherOf(body.rpmLimit, body.rpm_limit),
    tpmLimit: eitherOf(body.tpmLimit, body.tpm_limit),
    parallelLimit: eitherOf(body.parallelLimit, body.parallel_limit),
    softBudget: eitherOf(body.softBudget, body.soft_budget),
    modelLimits: eitherOf(body.modelLimits, body.model_limits),
    furtherBudgets: furtherOf(body),
    aliases: body.aliases,
    allowedIps: eitherOf(body.allowedIps, body.allowed_ips),
    guardrails: body.guardrails,
    tags: body.tags,
    metadata: body.metadata,
    autoRotate: eitherOf(body.autoRotate, body.auto_rotate),
    rotationInterval: eitherOf(body.rotationInterval, body.rotation_interval),
    rotationGraceSeconds: eitherOf(body.rotationGraceSeconds, body.rotation_grace_seconds),
  };
}
