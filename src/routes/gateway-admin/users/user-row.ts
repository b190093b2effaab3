import type { User, UserRole } from "../../../accounts/records.ts";
import { isoTime } from "../../../contract/users.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { furtherView } from "../further-budgets.ts";
import { durationOf, resetAt, usdOf } from "../wire-values.ts";

const wireUserRole = ({ role }: Pick<User, "role">): "proxy_admin" | "internal_user" =>
  role === "admin" ? "proxy_admin" : "internal_user";

/** The other way round; what is not named stays as it is. */
export const ownRole = (role: "proxy_admin" | "internal_user" | null | undefined): UserRole | undefined =>
  role == null ? undefined : role === "proxy_admin" ? "admin" : "user";

/** A user as scripts read them: field by field, so that a new column is not shown by accident. */
export async function userRow(deps: GatewayAdminDeps, user: User) {
  const { stores, usage } = deps;
  const [organizations, spent] = await Promise.all([
    stores.organizations.listOf(user.id),
    usage.spendOf({ userId: user.id }),
  ]);
  const memberships = await Promise.all(
    organizations.map(({ organization }) => stores.teamMembers.listTeamsOf(organization.id, user.id)),
  );
  const time = { nowMs: deps.clock.nowMs(), zone: "UTC" };
  return {
    user_id: String(user.id),
    user_email: user.email,
    user_alias: user.name,
    user_role: wireUserRole(user),
    spend: usdOf(spent.cost),
    max_budget: usdOf(user.budget),
    budget_duration: durationOf(user.budgetWindow),
    budget_reset_at: resetAt(user.budgetWindow, time),
    ...furtherView(user.furtherBudgets, time),
    tpm_limit: user.tpmLimit,
    rpm_limit: user.rpmLimit,
    budget_id: user.budgetId,
    metadata: { ...user.metadata },
    models: [],
    teams: memberships.flat().map(({ teamId }) => teamId),
    organizations: organizations.map(({ organization }) => organization.id),
    blocked: user.status === "disabled",
    created_at: isoTime(user.createdAt),
    updated_at: isoTime(user.updatedAt),
  };
}
