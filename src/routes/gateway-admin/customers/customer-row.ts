import type { EndUserSpend } from "../../../accounts/store.ts";
import { isoTime } from "../../../contract/users.ts";
import { limitView, usdOf } from "../wire-values.ts";

/** An end user as scripts read it. */
export const customerRow = ({ endUser, spent }: EndUserSpend) => ({
  user_id: endUser.id,
  alias: endUser.alias,
  organization_id: endUser.organizationId,
  spend: usdOf(spent),
  blocked: endUser.blocked,
  allowed_model_region: null,
  default_model: null,
  budget_id: endUser.budgetId,
  litellm_budget_table: { budget_id: endUser.budgetId, ...limitView(endUser) },
  created_at: isoTime(endUser.createdAt),
  updated_at: isoTime(endUser.updatedAt),
});
