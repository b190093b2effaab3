import { isEmail } from "../../../accounts/new-person.ts";
import type { User } from "../../../accounts/records.ts";
import type { WireUserRole } from "../../../contract/gateway-admin/users.ts";
import { isoTime } from "../../../contract/users.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { furtherView } from "../further-budgets.ts";
import { durationOf, resetAt, usdOf, userText } from "../wire-values.ts";

type Rights = Pick<User, "role" | "viewer">;

const RIGHTS = {
  proxy_admin: { role: "admin", viewer: false },
  proxy_admin_viewer: { role: "admin", viewer: true },
  internal_user: { role: "user", viewer: false },
  internal_user_viewer: { role: "user", viewer: true },
} as const satisfies Record<WireUserRole, Rights>;

const wireUserRole = ({ role, viewer }: Rights): WireUserRole =>
  role === "admin"
    ? viewer
      ? "proxy_admin_viewer"
      : "proxy_admin"
    : viewer
      ? "internal_user_viewer"
      : "internal_user";

/** The rights behind a role of the wire. A role that is left out changes nothing. */
export const rightsOf = (role: WireUserRole | null | undefined): Partial<Rights> => (role == null ? {} : RIGHTS[role]);

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
    user_id: userText({ userId: user.id, externalId: user.externalId }),
    user_email: isEmail(user.email) ? user.email : null,
    user_alias: user.name,
    user_role: wireUserRole(user),
    spend: usdOf(spent.cost),
    max_budget: usdOf(user.budget),
    budget_duration: durationOf(user.budgetWindow),
    budget_reset_at: resetAt(user.budgetWindow, time),
    ...furtherView(user.furtherBudgets, time),
    tpm_limit: user.tpmLimit,
    rpm_limit: user.rpmLimit,
    max_parallel_requests: user.parallelLimit,
    budget_id: user.budgetId,
    metadata: { ...user.metadata },
    models: [...user.models],
    teams: memberships.flat().map(({ teamId }) => teamId),
    organizations: organizations.map(({ organization }) => organization.id),
    blocked: user.status === "disabled",
    sign_in: isEmail(user.email),
    created_at: isoTime(user.createdAt),
    updated_at: isoTime(user.updatedAt),
  };
}
