import type { SeenKey } from "../../../accounts/keys.ts";
import { isoTime, isoTimeOrNull } from "../../../contract/users.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { limitView, mapOf, usdOf, userText } from "../wire-values.ts";

/** A key as scripts read it: field by field, so that nothing is shown by accident. */
export async function keyRows({ usage }: GatewayAdminDeps, seen: readonly SeenKey[]) {
  const spent = await usage.spendOfKeys(seen.map(({ key }) => key.id));
  return seen.map(({ key, organizationId, status }) => ({
    token: key.handle,
    key_name: `sk-...${key.last4}`,
    key_alias: key.name,
    spend: usdOf(spent.get(key.id)?.cost ?? 0n),
    ...limitView(key),
    model_rpm_limit: mapOf(key.modelLimits, "rpm"),
    model_tpm_limit: mapOf(key.modelLimits, "tpm"),
    expires: isoTimeOrNull(key.expiresAt),
    models: [...key.models],
    aliases: { ...key.aliases },
    config: {},
    permissions: {},
    user_id: userText(key.createdBy),
    team_id: key.teamId,
    organization_id: organizationId,
    metadata: { ...key.metadata },
    guardrails: [...key.guardrails],
    tags: [...key.tags],
    allowed_ips: [...key.allowedIps],
    blocked: status === "disabled",
    budget_id: key.budgetId,
    created_at: isoTime(key.createdAt),
    created_by: userText(key.createdBy),
    updated_at: isoTime(key.updatedAt),
    last_active: isoTimeOrNull(key.lastUsedAt),
  }));
}

export async function keyRow(deps: GatewayAdminDeps, seen: SeenKey) {
  const [row] = await keyRows(deps, [seen]);
  if (!row) throw new Error("one key has one row");
  return row;
}
