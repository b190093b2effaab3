import { graceSecondsOf } from "../../../accounts/key-rotation.ts";
import type { SeenKey } from "../../../accounts/keys.ts";
import { isoTime, isoTimeOrNull } from "../../../contract/users.ts";
import { spendingOf } from "../../keys/key-spending.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { furtherUsage, furtherView } from "../further-budgets.ts";
import { limitView, mapOf, usdOf, userTextsOf } from "../wire-values.ts";

/** A key as scripts read it: field by field, so that nothing is shown by accident. */
export async function keyRows(deps: GatewayAdminDeps, seen: readonly SeenKey[]) {
  const spending = await spendingOf(deps, seen);
  const now = deps.clock.nowMs();
  const owners = seen.map(({ key }) => key.createdBy);
  const userTextOf = await userTextsOf(deps.stores, owners);
  return seen.map(({ key, organizationId, status }, at) => ({
    token: key.handle,
    key_name: `sk-...${key.last4}`,
    key_alias: key.name,
    spend: usdOf(spending[at]?.spend ?? 0n),
    budget_spend: key.budget === null ? null : usdOf(spending[at]?.spentInWindow ?? 0n),
    budget_reset_at: key.budget === null ? null : isoTimeOrNull(spending[at]?.resetAt ?? null),
    ...limitView(key),
    ...furtherUsage(spending[at]?.further ?? []),
    ...furtherView(key.furtherBudgets, { nowMs: now, zone: spending[at]?.zone ?? "UTC" }),
    model_rpm_limit: mapOf(key.modelLimits, "rpm"),
    model_tpm_limit: mapOf(key.modelLimits, "tpm"),
    expires: isoTimeOrNull(key.expiresAt),
    models: [...key.models],
    aliases: { ...key.aliases },
    config: {},
    permissions: {},
    user_id: userTextOf(key.createdBy),
    team_id: key.teamId,
    organization_id: organizationId,
    metadata: { ...key.metadata },
    guardrails: [...key.guardrails],
    tags: [...key.tags],
    allowed_ips: [...key.allowedIps],
    blocked: status === "disabled",
    auto_rotate: key.rotationInterval !== null,
    rotation_interval: key.rotationInterval,
    rotation_grace_period: graceTextOf(graceSecondsOf(key, now)),
    rotation_count: key.rotationCount,
    last_rotation_at: isoTimeOrNull(key.rotatedAt),
    key_rotation_at: isoTimeOrNull(key.rotationAt),
    new_key_since: isoTimeOrNull(key.unseenAt),
    budget_id: key.budgetId,
    created_at: isoTime(key.createdAt),
    created_by: userTextOf(key.createdBy),
    updated_at: isoTime(key.updatedAt),
    last_active: isoTimeOrNull(key.lastUsedAt),
  }));
}

const graceTextOf = (seconds: number | null): string | null => (seconds === null ? null : `${seconds}s`);

export async function keyRow(deps: GatewayAdminDeps, seen: SeenKey) {
  const [row] = await keyRows(deps, [seen]);
  if (!row) throw new Error("one key has one row");
  return row;
}
