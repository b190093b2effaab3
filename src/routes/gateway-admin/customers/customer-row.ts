import type { EndUserSpend } from "../../../accounts/store.ts";
import { isoTime } from "../../../contract/users.ts";
import { zonesOf } from "../../keys/key-spending.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { timedLimitView, usdOf, type ZonedTime } from "../wire-values.ts";

/** End users as scripts read them. */
export async function customerRows(deps: GatewayAdminDeps, found: readonly EndUserSpend[]) {
  const zones = await zonesOf(
    deps.stores,
    found.map(({ endUser }) => endUser.organizationId),
  );
  const nowMs = deps.clock.nowMs();
  return found.map((one) => rowOf(one, { nowMs, zone: zones.get(one.endUser.organizationId) ?? "UTC" }));
}

export async function customerRow(deps: GatewayAdminDeps, found: EndUserSpend) {
  const [row] = await customerRows(deps, [found]);
  if (!row) throw new Error("one end user has one row");
  return row;
}

const rowOf = ({ endUser, spent }: EndUserSpend, time: ZonedTime) => ({
  user_id: endUser.id,
  alias: endUser.alias,
  organization_id: endUser.organizationId,
  spend: usdOf(spent),
  blocked: endUser.blocked,
  allowed_model_region: null,
  default_model: null,
  budget_id: endUser.budgetId,
  litellm_budget_table: { budget_id: endUser.budgetId, ...timedLimitView(endUser, time) },
  created_at: isoTime(endUser.createdAt),
  updated_at: isoTime(endUser.updatedAt),
});
