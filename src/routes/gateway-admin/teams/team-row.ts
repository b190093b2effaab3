import type { Team } from "../../../accounts/records.ts";
import type { TeamWithCounts } from "../../../accounts/store.ts";
import type { TeamPerson } from "../../../accounts/teams.ts";
import { isoTime } from "../../../contract/users.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { durationOf, limitView, usdOf } from "../wire-values.ts";

/** Ours: admin and member. On this face: admin and user. */
export const teamRole = (role: "admin" | "user"): "admin" | "member" => (role === "admin" ? "admin" : "member");
const wireRole = (role: "admin" | "member"): "admin" | "user" => (role === "admin" ? "admin" : "user");

/** Teams as scripts read them, with who is in them; however many there are, they are looked up at once. */
export async function teamRows(deps: GatewayAdminDeps, teams: readonly Pick<TeamWithCounts, "team">[]) {
  const ids = teams.map(({ team }) => team.id);
  const [people, spent] = await Promise.all([deps.stores.teamMembers.listOf(ids), deps.usage.spendOfTeams(ids)]);
  const byTeam = Map.groupBy(people, ({ teamId }) => teamId);
  return teams.map(({ team }) => {
    const members = byTeam.get(team.id) ?? [];
    const spend = usdOf(spent.get(team.id)?.cost ?? 0n);
    return { members, row: { ...plainTeamRow(team), members_with_roles: members.map(memberRow), spend } };
  });
}

export async function teamRow(deps: GatewayAdminDeps, team: Pick<TeamWithCounts, "team">) {
  const [found] = await teamRows(deps, [team]);
  if (!found) throw new Error("one team has one row");
  return found.row;
}

/** What the record itself says; the rest is looked up. */
export const plainTeamRow = (team: Team) => ({
  team_id: team.id,
  team_alias: team.name,
  organization_id: team.organizationId,
  ...limitView(team),
  models: [...team.models],
  model_aliases: { ...team.modelAliases },
  metadata: { ...team.metadata },
  guardrails: [...team.guardrails],
  tags: [...team.tags],
  blocked: team.status === "blocked",
  budget_id: team.budgetId,
  created_at: isoTime(team.createdAt),
  updated_at: isoTime(team.updatedAt),
});

export const memberRow = ({ userId, email, role }: TeamPerson) => ({
  user_id: String(userId),
  user_email: email,
  role: wireRole(role),
});

/** What a member may spend within the team. */
export const membershipRow = (teamId: string, member: TeamPerson) => ({
  team_id: teamId,
  user_id: String(member.userId),
  max_budget_in_team: usdOf(member.budget),
  budget_duration: durationOf(member.budgetWindow),
  rpm_limit: member.rpmLimit,
  tpm_limit: member.tpmLimit,
});
