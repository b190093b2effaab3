import type { OrganizationPerson } from "../../../accounts/members.ts";
import type { Organization, OrganizationRole } from "../../../accounts/records.ts";
import { isoTime } from "../../../contract/users.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { plainTeamRow } from "../teams/team-row.ts";
import { timedLimitView, usdOf, userText, userTextsOf } from "../wire-values.ts";

const TO_WIRE = {
  owner: "org_admin",
  admin: "org_admin",
  member: "internal_user",
  viewer: "internal_user_viewer",
} as const satisfies Record<OrganizationRole, string>;
const FROM_WIRE = { org_admin: "admin", internal_user: "member", internal_user_viewer: "viewer" } as const;

export const organizationRole = (role: keyof typeof FROM_WIRE): OrganizationRole => FROM_WIRE[role];

/** An organization as scripts read it. */
export async function organizationRow(
  deps: GatewayAdminDeps,
  organization: Organization,
  teamIds: readonly string[] | null,
) {
  const [members, teams, spent] = await Promise.all([
    deps.stores.organizationMembers.list(organization.id),
    deps.stores.teams.list(organization.id),
    deps.usage.spendOf({ organizationId: organization.id }),
  ]);
  const userTextOf = await userTextsOf(deps.stores, [organization.ownerId]);
  const shown = teams.filter(({ team }) => teamIds === null || teamIds.includes(team.id));
  const time = { nowMs: deps.clock.nowMs(), zone: organization.timezone };
  return {
    organization_id: organization.id,
    organization_alias: organization.name,
    budget_id: organization.budgetId,
    spend: usdOf(spent.cost),
    models: [...organization.models],
    metadata: { ...organization.metadata },
    billing: organization.billing,
    blocked: organization.status === "blocked",
    litellm_budget_table: { budget_id: organization.budgetId, ...timedLimitView(organization, time) },
    members: members.map((member) => organizationMemberRow(organization.id, member)),
    teams: shown.map(({ team }) => plainTeamRow(team, time)),
    created_by: userTextOf(organization.ownerId),
    created_at: isoTime(organization.createdAt),
    updated_at: isoTime(organization.updatedAt),
  };
}

export const organizationMemberRow = (
  organizationId: string,
  { userId, externalId, email, role, joinedAt }: OrganizationPerson,
) => ({
  organization_id: organizationId,
  user_id: userText({ userId, externalId }),
  user_email: email || null,
  user_role: TO_WIRE[role],
  created_at: isoTime(joinedAt),
});
